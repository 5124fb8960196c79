#pragma once

#include <string>
#include <vector>

#include "results/snapshot/snapshot.h"
#include "tests/results/store_records.h"

namespace lockstep::snapshot::testing {

/// A store with one campaign that is filled launch by launch. Each launch: 1 step of warm-up, 10 timed ones of
/// `step_ms`, 8 samples a step over all ranks.
struct Campaign {
  store::testing::Folder folder;
  store::Store store = store::Store::open(folder.file(), store::OpenMode::create);
  store::CampaignRow row = store.begin_campaign({});
  int64_t next = 1;

  store::LaunchRecord record(const store::CellRow& cell, int64_t block, double step_ms) {
    store::LaunchRecord out = store::testing::record(row, next++, cell);
    out.launch.block = block;
    out.launch.marks.clear();
    out.launch.steps = 11;
    out.series.clear();
    for (int64_t rank = 0; rank < cell.ranks; ++rank) add_series(out, rank, cell.ranks, step_ms);
    return out;
  }

  void finished(const store::CellRow& cell, int64_t block, double step_ms) {
    store.import_launch(record(cell, block, step_ms));
  }

  CampaignSnapshot snapshot(const std::string& filter = "") {
    return load(store, *store.campaign(row.number), filter.empty() ? Filter{} : parse_filter(filter));
  }

 private:
  static void add_series(store::LaunchRecord& out, int64_t rank, int64_t ranks, double step_ms) {
    std::vector<int64_t> begin, end;
    for (int64_t step = 0; step <= 10; ++step) {
      begin.push_back(static_cast<int64_t>(static_cast<double>(step) * step_ms * 1e6));
      end.push_back(static_cast<int64_t>(static_cast<double>(step + 1) * step_ms * 1e6));
    }
    out.series.push_back({rank, "step_begin_ns", "ns", begin});
    out.series.push_back({rank, "step_end_ns", "ns", end});
    out.series.push_back({rank, "samples", "", std::vector<int64_t>(11, 8 / ranks)});
    out.series.push_back(
        {rank, "bytes_sent", out.cell.system == "pytorch" ? "~B" : "B", std::vector<int64_t>(11, 482)});
    std::vector<double> loss(11, 5.5);
    loss.back() = 2.25 + 1e-3 * static_cast<double>(ranks);
    out.series.push_back({rank, "loss", "nat", loss});
    out.series.push_back({rank, "loss_weight", "", std::vector<double>(11, 4)});
  }
};

}  // namespace lockstep::snapshot::testing
