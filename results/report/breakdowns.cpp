#include "results/report/breakdowns.h"

#include "adapters/contract/failure.h"
#include "profiler/sinks/trace_file.h"

namespace lockstep::report {

namespace fs = std::filesystem;

std::vector<fs::path> trace_files_of(store::Store& store, const fs::path& store_file, const store::LaunchRow& launch) {
  const fs::path folder = fs::absolute(store_file).parent_path() / launch.run_folder;
  std::vector<fs::path> files;
  for (const store::ArtifactRow& artifact : store.artifacts(launch.id)) {
    if (artifact.format == profiler::kTraceFormat) files.push_back(folder / artifact.path);
  }
  return files;
}

std::vector<activity::Trace> traces_of(store::Store& store, const fs::path& store_file,
                                       const store::LaunchRow& launch) {
  std::vector<activity::Trace> traces;
  for (const fs::path& file : trace_files_of(store, store_file, launch)) {
    traces.push_back(profiler::read_trace(file));
  }
  return traces;
}

snapshot::Breakdown breakdown_of(store::Store& store, const fs::path& store_file, const store::LaunchRow& launch) {
  snapshot::Breakdown out;
  out.launch = launch.number;
  try {
    const std::vector<activity::Trace> traces = traces_of(store, store_file, launch);
    for (const activity::Trace& trace : traces) out.dropped += trace.dropped;
    out.ranks = snapshot::breakdown(traces);
    if (out.ranks.empty()) out.why_not = "nothing was recorded";
  } catch (const Failure& failure) {
    out.why_not = failure.what();  // a run folder may have been moved or deleted: the rest of the report stands
  }
  return out;
}

std::map<std::string, store::LaunchRow> recorded_launches(store::Store& store,
                                                          const snapshot::CampaignSnapshot& snapshot) {
  std::map<std::string, store::LaunchRow> out;
  for (store::LaunchRow& launch :
       store.launches({snapshot.campaign.id, {}, store::LaunchMode::profile, store::LaunchStatus::finished})) {
    const std::string cell = launch.cell;
    out.try_emplace(cell, std::move(launch));
  }
  return out;
}

void add_breakdowns(store::Store& store, const fs::path& store_file, snapshot::CampaignSnapshot& snapshot) {
  const std::map<std::string, store::LaunchRow> recorded = recorded_launches(store, snapshot);
  for (snapshot::WorkloadGroup& group : snapshot.groups) {
    for (snapshot::CellSnapshot& cell : group.cells) {
      const auto found = recorded.find(cell.cell.text);
      if (found != recorded.end()) cell.breakdown = breakdown_of(store, store_file, found->second);
    }
  }
}

}  // namespace lockstep::report
