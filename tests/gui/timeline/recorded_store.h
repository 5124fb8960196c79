#pragma once

#include <filesystem>

#include "profiler/sinks/trace_file.h"
#include "tests/gui/timeline/random_trace.h"
#include "tests/results/campaign_fixture.h"

namespace lockstep::gui::timeline::testing {

/// A store with a campaign of two cells: a timed launch @1.1, and the recorded ones @1.2 (serial) and @1.3 (dp2).
struct RecordedStore {
  snapshot::testing::Campaign campaign;
  int activities;

  /// `activities`: of each recorded rank.
  explicit RecordedStore(int64_t dropped = 0, int activities = 800) : activities(activities) {
    const store::CellRow serial = store::testing::cell("mlp:tiny", "reference", "serial");
    const store::CellRow dp2 = store::testing::cell("mlp:tiny", "reference", "dp2", "threads", 2);
    campaign.finished(serial, 0, 2.0);
    add(serial, 1, dropped);
    add(dp2, 2, dropped);
  }

  std::string file() const { return campaign.folder.file(); }
  std::filesystem::path folder(int64_t launch) const { return campaign.folder.path() / std::to_string(launch); }

  void add(const store::CellRow& cell, int ranks, int64_t dropped) {
    store::LaunchRecord record = campaign.record(cell, 0, 2.0);
    record.launch.mode = store::LaunchMode::profile;
    record.launch.run_folder = std::to_string(record.launch.number);
    record.artifacts.clear();
    std::filesystem::create_directory(folder(record.launch.number));
    const auto put = [&](const activity::Trace& trace, const std::string& name) {
      profiler::write_trace(folder(record.launch.number) / name, trace);
      record.artifacts.push_back({"trace", name, profiler::kTraceFormat, 0, ""});
    };
    for (int rank = 0; rank < ranks; ++rank) {
      activity::Trace trace = random_trace(rank, activities);
      trace.dropped = dropped;
      put(trace, "trace.rank" + std::to_string(rank) + ".json");
    }
    activity::Trace plan;
    plan.origin = activity::Origin::planned;
    plan.names = {"forward", "update"};
    for (int rank = 0; rank < ranks; ++rank) {
      plan.tracks.push_back({rank, "main"});
      const auto track = static_cast<uint32_t>(rank);
      plan.activities.push_back({0, 700, 0, track, activity::Kind::compute, 0});
      plan.activities.push_back({700, 1000, 1, track, activity::Kind::optimizer, 0});
    }
    put(plan, "trace.planned.json");
    campaign.store.import_launch(record);
  }
};

}  // namespace lockstep::gui::timeline::testing
