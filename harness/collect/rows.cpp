#include "harness/collect/rows.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "results/store/id.h"

namespace lockstep::collect {
namespace {

using contract::RankEvents;
using contract::RunEvents;
using contract::Step;
using store::LaunchRecord;

template <class T, class Read>
void add_column(LaunchRecord& record, int rank, const char* name, const char* unit, const std::vector<Step>& steps,
                Read read) {
  std::vector<T> column;
  column.reserve(steps.size());
  for (const Step& step : steps) column.push_back(read(step));
  record.series.push_back({rank, name, unit, std::move(column)});
}

// A column that every step must have: half a series would be read as a whole one.
template <class Read>
void add_optional(LaunchRecord& record, int rank, const char* name, const char* unit, const std::vector<Step>& steps,
                  Read read) {
  if (!std::all_of(steps.begin(), steps.end(), [&](const Step& s) { return read(s).has_value(); })) return;
  add_column<int64_t>(record, rank, name, unit, steps, [&](const Step& s) { return *read(s); });
}

void add_phases(LaunchRecord& record, int rank, const std::vector<Step>& steps) {
  std::set<std::string> names;
  for (const Step& step : steps) {
    for (const auto& [name, ns] : step.phases) names.insert(name);
  }
  for (const std::string& name : names) {
    add_column<int64_t>(record, rank, ("phase_" + name + "_ns").c_str(), "ns", steps, [&](const Step& s) {
      const auto found = s.phases.find(name);
      return found == s.phases.end() ? int64_t{0} : found->second;
    });
  }
}

/// Whether no earlier rank has the same samples: the ranks of a tensor or pipeline group all tell of them, and the
/// series count each once.
bool counts_samples(const std::vector<contract::RankPlace>& places, int rank) {
  const auto at = static_cast<size_t>(rank);
  if (at >= places.size()) return true;
  return std::none_of(places.begin(), places.begin() + rank,
                      [&](const contract::RankPlace& earlier) { return earlier.data_index == places[at].data_index; });
}

void add_series(LaunchRecord& record, const RankEvents& rank, bool counts) {
  const std::vector<Step> steps = rank.all<Step>();
  if (steps.empty()) return;
  add_column<int64_t>(record, rank.rank, "step_begin_ns", "ns", steps, [](const Step& s) { return s.t0; });
  add_column<int64_t>(record, rank.rank, "step_end_ns", "ns", steps, [](const Step& s) { return s.t1; });
  add_column<int64_t>(record, rank.rank, "samples", "samples", steps,
                      [&](const Step& s) { return counts ? s.samples : 0; });
  // Where a sample has one position there are no tokens to speak of.
  if (std::any_of(steps.begin(), steps.end(), [](const Step& s) { return s.tokens != s.samples; })) {
    add_column<int64_t>(record, rank.rank, "tokens", "tokens", steps,
                        [&](const Step& s) { return counts ? s.tokens : 0; });
  }
  add_column<double>(record, rank.rank, "loss", "nat", steps, [](const Step& s) { return s.loss; });
  add_column<double>(record, rank.rank, "loss_weight", "positions", steps, [](const Step& s) { return s.loss_weight; });
  add_optional(record, rank.rank, "bytes_sent", "B", steps, [](const Step& s) { return s.bytes_sent; });
  add_optional(record, rank.rank, "messages", "1", steps, [](const Step& s) { return s.messages; });
  add_optional(record, rank.rank, "staleness", "updates", steps, [](const Step& s) { return s.staleness; });
  add_phases(record, rank.rank, steps);
}

// Bytes a step from a model, told once by adapters whose framework does not count them.
void add_modelled_bytes(LaunchRecord& record, const RankEvents& rank, const contract::Metric& metric) {
  if (metric.name != "bytes_sent_modelled") return;
  std::vector<int64_t> column(rank.all<Step>().size(), static_cast<int64_t>(metric.value));
  record.series.push_back({rank.rank, "bytes_sent", "~B", std::move(column)});
}

void add_process(LaunchRecord& record, const RankEvents& rank, const std::optional<supervisor::Report>& report) {
  const contract::Hello* hello = rank.first<contract::Hello>();
  if (hello == nullptr) return;
  for (store::ProcessRow& known : record.processes) {
    if (known.pid == hello->pid && known.host == hello->host) return;  // several ranks in one process
  }
  store::ProcessRow row{rank.rank, rank.role == "worker" ? "rank" : rank.role, hello->host, hello->pid, {}, {}, {}, {},
                        {}};
  for (const contract::Memory& memory : rank.all<contract::Memory>()) {
    if (memory.category == "pss") row.peak_pss_bytes = std::max(row.peak_pss_bytes.value_or(0), memory.peak);
    if (memory.category == "rss") row.peak_rss_bytes = std::max(row.peak_rss_bytes.value_or(0), memory.peak);
  }
  for (const supervisor::Exit& exit : report ? report->exits : std::vector<supervisor::Exit>{}) {
    if (exit.pid == hello->pid) row.exit_code = exit.code, row.signal = exit.signal;
  }
  record.processes.push_back(row);
}

void add_events(LaunchRecord& record, const RankEvents& rank) {
  for (const contract::Event& event : rank.events) {
    if (const auto* eval = std::get_if<contract::Eval>(&event.body)) {
      record.evaluations.push_back(
          {rank.rank, eval->step, eval->samples_seen, eval->metric, eval->value, "own", event.t});
    } else if (const auto* memory = std::get_if<contract::Memory>(&event.body)) {
      record.memory.push_back({rank.rank, memory->category, memory->bytes, memory->peak});
    } else if (const auto* metric = std::get_if<contract::Metric>(&event.body)) {
      record.metrics.push_back({rank.rank, metric->step, metric->name, metric->unit, metric->value});
      add_modelled_bytes(record, rank, *metric);
    } else if (const auto* print = std::get_if<contract::Fingerprint>(&event.body)) {
      for (const auto& [tensor, norm] : print->parameters) {
        const auto gradient = print->gradients.find(tensor);
        store::FingerprintRow row{print->step, tensor, norm, {}};
        if (gradient != print->gradients.end()) row.gradient_norm = gradient->second;
        record.fingerprints.push_back(row);
      }
    }
  }
}

/// The timed region of a rank.
struct Region {
  int64_t length = 0;  ///< from the first step's start to the last one's end, by their stamps
  int64_t steps = 0;   ///< the steps' own times, without the first one's
  int64_t events = 0;  ///< between the first and the last step's event
};

Region region(const RankEvents& rank, int64_t warmup) {
  Region region;
  int64_t begin = 0, first = 0, count = 0;
  for (const contract::Event& event : rank.events) {
    const Step* step = std::get_if<Step>(&event.body);
    if (step == nullptr || ++count <= warmup) continue;
    if (count == warmup + 1) {
      begin = step->t0, first = event.t;
    } else {
      region.steps += step->t1 - step->t0;
    }
    region.length = step->t1 - begin, region.events = event.t - first;
  }
  return region;
}

}  // namespace

void add_rows(LaunchRecord& record, const RunEvents& run, const std::vector<contract::RankPlace>& places,
              const std::optional<supervisor::Report>& report) {
  for (const RankEvents& rank : run.ranks) {
    add_series(record, rank, counts_samples(places, rank.rank));
    add_process(record, rank, report);
    add_events(record, rank);
  }
}

void add_process_tree(LaunchRecord& record, const supervisor::Report& report) {
  if (report.exits.empty()) return;
  const supervisor::Exit& command = report.exits.front();
  store::ProcessRow row;
  row.role = "tree", row.pid = command.pid, row.exit_code = command.code, row.signal = command.signal;
  row.host = record.campaign ? record.campaign->host : "";
  if (report.peak_tree_rss_bytes > 0) row.peak_rss_bytes = report.peak_tree_rss_bytes;
  record.processes.push_back(row);
}

void add_artifacts(LaunchRecord& record, const RunEvents& run, const std::filesystem::path& folder) {
  for (const RankEvents& rank : run.ranks) {
    for (const contract::Artifact& artifact : rank.all<contract::Artifact>()) {
      store::ArtifactRow row{artifact.kind, artifact.path, artifact.format, 0, ""};
      std::ifstream file(folder / artifact.path, std::ios::binary);
      if (file) {
        const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        row.bytes = static_cast<int64_t>(bytes.size()), row.hash = store::content_hash(bytes);
      }
      record.artifacts.push_back(row);
    }
  }
}

/// Below it medians drift and launches differ more; above it longer regions changed neither beyond the noise
/// (docs/statistics.md).
constexpr int64_t kShortRegionNs = 400'000'000;

std::vector<std::string> marks(const store::LaunchRow& launch, const RunEvents& run,
                               const std::optional<supervisor::Report>& report, int64_t processors) {
  std::vector<std::string> found;
  int64_t longest = 0;
  bool impossible = false;
  for (const RankEvents& rank : run.ranks) {
    const Region timed = region(rank, launch.warmup);
    longest = std::max(longest, timed.length);
    impossible |= timed.steps * 2 < timed.events;
  }
  const bool timed = launch.mode == store::LaunchMode::time;
  if (timed && longest > 0 && longest < kShortRegionNs) found.emplace_back("short region");
  if (timed && impossible) found.emplace_back("impossible rate");
  if (static_cast<int64_t>(run.ranks.size()) * launch.threads > processors) found.emplace_back("oversubscribed");
  if (report && report->left_behind > 0) found.emplace_back("left processes behind");
  return found;
}

}  // namespace lockstep::collect
