// What the desktop program's budgets for large timelines are about: opening, a frame, memory, totals.
//   gui_timeline_bench --benchmark_filter=frame
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <QApplication>
#include <QImage>
#include <QPainter>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "gui/core/timeline/comm_matrix.h"
#include "gui/core/timeline/flows.h"
#include "gui/core/timeline/imported_file.h"
#include "gui/core/timeline/totals.h"
#include "gui/widgets/theme.h"
#include "gui/widgets/timeline_view.h"
#include "profiler/sinks/trace_file.h"
#include "results/store/id.h"

namespace lockstep::gui::timeline {
namespace {

namespace fs = std::filesystem;

constexpr int kRanks = 8;

/// A rank's share of a launch of `n` activities: steps of 60 computations, some of which overlap communication, which
/// sends to the next rank of a ring and gets from the one before.
activity::Trace rank_trace(int32_t rank, int64_t n) {
  using activity::Kind;
  activity::Trace out;
  out.tracks = {{rank, "main"}, {rank, "communication"}};
  for (int i = 0; i < 64; ++i) out.names.push_back("block" + std::to_string(i) + ".op");
  std::mt19937 random(static_cast<uint32_t>(rank));
  int64_t now = 1000 * rank;
  out.activities.reserve(static_cast<size_t>(n));
  for (int64_t i = 0; static_cast<int64_t>(out.activities.size()) < n; ++i) {
    const int64_t length = 200 + static_cast<int64_t>(random() % 20000);
    const auto name = static_cast<uint32_t>(i % 60);
    const bool update = name == 59;
    out.activities.push_back(
        {now, now + length, name, 0, update ? Kind::optimizer : Kind::compute, static_cast<int32_t>(i / 60), -1, 0});
    if (name % 10 == 9 && static_cast<int64_t>(out.activities.size()) < n) {
      const auto message = static_cast<uint32_t>(out.activities.size());
      out.transfers.push_back({activity::Transfer::send, message, (rank + 1) % kRanks, 7, 1 << 20});
      out.transfers.push_back({activity::Transfer::recv, message, (rank + kRanks - 1) % kRanks, 7, 1 << 20});
      out.activities.push_back(
          {now + length / 2, now + 3 * length, 60, 1, Kind::communication, static_cast<int32_t>(i / 60), -1, 1 << 20});
    }
    now += length + static_cast<int64_t>(random() % 1000);
  }
  out.activities.resize(static_cast<size_t>(n));
  return out;
}

/// Trace files of all ranks with their imported forms, made once.
const std::vector<fs::path>& files(int64_t n) {
  static std::map<int64_t, std::vector<fs::path>> made;
  std::vector<fs::path>& out = made[n];
  if (!out.empty()) return out;
  const fs::path folder = fs::temp_directory_path() / ("timeline-bench-" + std::to_string(getpid()));
  fs::create_directories(folder);
  for (int32_t rank = 0; rank < kRanks; ++rank) {
    out.push_back(folder / ("trace." + std::to_string(n) + ".rank" + std::to_string(rank) + ".json"));
    if (n > 2'000'000) {  // only the imported form: the JSON's own size is not what is measured
      std::ofstream(out.back()) << "{}";
      const Source source{2, store::content_hash("{}")};
      write_imported(imported_path(out.back()), columns_of(rank_trace(rank, n / kRanks)), source);
      continue;
    }
    profiler::write_trace(out.back(), rank_trace(rank, n / kRanks));
    open_trace(out.back());
  }
  return out;
}

std::shared_ptr<Launch> open_all(int64_t n) {
  auto out = std::make_shared<Launch>();
  for (const fs::path& file : files(n)) append(out->timeline.columns, open_trace(file).columns);
  out->timeline.zoom = ZoomTable(out->timeline.columns);
  out->timeline.partners = partners_of(out->timeline.columns);
  return out;
}

std::shared_ptr<Launch> opened(int64_t n) {
  static std::map<int64_t, std::shared_ptr<Launch>> kept;
  std::shared_ptr<Launch>& out = kept[n];
  if (!out) out = open_all(n);
  return out;
}

void import(benchmark::State& state) {
  for (auto _ : state) {
    for (const fs::path& file : files(state.range(0))) {
      fs::remove(imported_path(file));
      benchmark::DoNotOptimize(open_trace(file));
    }
  }
}
BENCHMARK(import)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->Iterations(2);

void open(benchmark::State& state) {
  files(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(open_all(state.range(0)));
}
BENCHMARK(open)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

/// Frames while a person zooms in from everything and pans: geometry and painting of a page of `width` x `height`.
void frame(benchmark::State& state) {
  const auto launch = opened(state.range(0));
  TimelineView view;
  view.resize(static_cast<int>(state.range(1)), static_cast<int>(state.range(2)));
  view.set_launch(launch);
  QImage image(view.size(), QImage::Format_ARGB32_Premultiplied);
  const Range all = view.whole();
  Range range = all;
  std::vector<double> ms;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    range = range.length() < 1e-5 * all.length() ? all : zoomed(range, 0.8, 0.37 * all.end_ns, all);
    view.set_range(range);
    view.render(&image);
    ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(ms.begin(), ms.end());
  state.counters["median_ms"] = ms[ms.size() / 2];
  state.counters["p99_ms"] = ms[ms.size() * 99 / 100];
}
BENCHMARK(frame)
    ->Args({1'000'000, 1280, 720})
    ->Args({1'000'000, 2560, 1440})
    ->Args({10'000'000, 1280, 720})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(400);

void add_up(benchmark::State& state) {
  const auto launch = opened(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(totals(launch->timeline.columns, everything(launch->timeline.columns)));
}
BENCHMARK(add_up)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void matrix(benchmark::State& state) {
  const auto launch = opened(state.range(0));
  const Area all = everything(launch->timeline.columns);
  for (auto _ : state) {
    benchmark::DoNotOptimize(comm_matrix(launch->timeline.columns, all, activity::Origin::measured));
  }
}
BENCHMARK(matrix)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

int64_t status_kib(const char* key) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(key)) return std::stoll(line.substr(line.find(':') + 1));
  }
  return 0;
}

/// Run it alone: --benchmark_filter=memory. The peak includes the making of the files, which stays below it.
void memory(benchmark::State& state) {
  const int64_t before = status_kib("VmRSS");
  const auto launch = opened(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(launch->timeline.columns.size());
  state.counters["rss_MiB"] = static_cast<double>(status_kib("VmRSS") - before) / 1024;
  state.counters["peak_MiB"] = static_cast<double>(status_kib("VmHWM")) / 1024;
}
BENCHMARK(memory)->Arg(10'000'000)->Iterations(1);

}  // namespace
}  // namespace lockstep::gui::timeline

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const QApplication application(argc, argv);
  lockstep::gui::use_theme(*qApp, lockstep::gui::Theme::light);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
