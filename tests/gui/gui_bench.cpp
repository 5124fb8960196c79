// The budgets of the desktop program on a store of 10^5 launches (docs/performance.md).
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <QApplication>
#include <filesystem>

#include "gui/core/pages/launches.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/theme.h"

namespace lockstep::gui {
namespace {

constexpr int64_t kLaunches = 100'000;

/// A store of many small finished launches of one campaign, made once.
const std::string& big_store() {
  static const std::string path = [] {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "lockstep-bench-launches.db";
    std::filesystem::remove(file);
    store::Store store = store::Store::open(file.string(), store::OpenMode::create);
    const store::CampaignRow campaign = store.begin_campaign({});
    for (int64_t i = 0; i < kLaunches; ++i) {
      store::LaunchRecord record;
      record.cell.workload = "w:tiny", record.cell.system = "reference",
      record.cell.strategy = fmt::format("dp{}", 1 + i % 7);
      record.cell.text = record.cell.workload + " reference " + record.cell.strategy;
      record.launch.id = fmt::format("{:032x}", i + 1), record.launch.campaign = campaign.id;
      record.launch.number = i + 1, record.launch.cell = record.cell.text, record.launch.block = i / 7;
      record.launch.status = store::LaunchStatus::finished;
      store.import_launch(record);
    }
    return file.string();
  }();
  return path;
}

std::vector<LaunchLine> lines() {
  std::vector<LaunchLine> out(kLaunches);
  const auto cell = std::make_shared<store::CellRow>();
  for (int64_t i = 0; i < kLaunches; ++i) {
    LaunchLine& line = out[static_cast<size_t>(i)];
    line.cell = cell, line.campaign = 1, line.row.number = i + 1, line.row.seed = i * 7919 % 1000;
  }
  return out;
}

void launch_table_first_paint(benchmark::State& state) {
  const std::shared_ptr<const Rows> rows = launch_rows(lines());
  for (auto _ : state) {
    TableView view;
    view.resize(1280, 800);
    view.set_rows(rows);
    view.show();
    benchmark::DoNotOptimize(view.grab().toImage().pixel(10, 10));
  }
}
BENCHMARK(launch_table_first_paint)->Unit(benchmark::kMillisecond);

void launch_table_sort(benchmark::State& state) {
  TableModel model;
  model.set_rows(launch_rows(lines()));
  for (auto _ : state) model.sort(20, state.iterations() % 2 == 0 ? Qt::AscendingOrder : Qt::DescendingOrder);
}
BENCHMARK(launch_table_sort)->Unit(benchmark::kMillisecond);

/// From the store to the first picture: the first rows of 10^5, before the others have been read.
void launch_table_first_paint_from_the_store(benchmark::State& state) {
  store::Store store = store::Store::open(big_store(), store::OpenMode::read_only);
  for (auto _ : state) {
    TableView view;
    view.resize(1280, 800);
    view.set_rows(load_launches(store, {}, Reading::first_rows).shown);
    view.show();
    benchmark::DoNotOptimize(view.grab().toImage().pixel(10, 10));
  }
}
BENCHMARK(launch_table_first_paint_from_the_store)->Unit(benchmark::kMillisecond);

void launches_of_a_store(benchmark::State& state) {
  store::Store store = store::Store::open(big_store(), store::OpenMode::read_only);
  for (auto _ : state) benchmark::DoNotOptimize(load_launches(store, {}, Reading::all_rows).shown->size());
}
BENCHMARK(launches_of_a_store)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lockstep::gui

int main(int count, char** arguments) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const QApplication application(count, arguments);
  lockstep::gui::use_theme(*qApp, lockstep::gui::Theme::light);
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
}
