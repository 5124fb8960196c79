#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "results/snapshot/snapshot.h"
#include "tests/harness/lab.h"

/// A campaign whose names and numbers are as awkward as they can be.
namespace lockstep::report::testing {

inline const std::string kAwkward =
    "\xC3\xA4\xE6\x97\xA5\xE6\x9C\xAC \"'<script>alert(1)</script>&\\|_%$#{}~^`*[]\n,;\x01\xFF";

/// A system on a workload, with its number of ranks.
struct CellOf {
  std::string workload, system, strategy, fabric;
  int64_t ranks = 1;
};

inline const std::vector<CellOf> kCells = {
    {"w:tiny", "reference", "serial", "", 1},  {"w:tiny", "reference", "dp2", "threads", 2},
    {"w:tiny", "reference", "dp2", "null", 2}, {"w:tiny", kAwkward, "serial", "", 1},
    {"w:tiny", kAwkward, "dp2", "gloo", 2},    {kAwkward + ":tiny", "reference", "serial", "", 1}};

inline store::CellRow cell_row(const CellOf& one) {
  store::CellRow out;
  out.workload = one.workload, out.system = one.system, out.strategy = one.strategy, out.fabric = one.fabric;
  out.ranks = one.ranks;
  out.text = one.workload + " " + one.system + " " + one.strategy + (one.fabric.empty() ? "" : " on " + one.fabric);
  return out;
}

inline void add_series(store::LaunchRecord& record, int64_t rank, int64_t ranks, double step_ms, double last_loss) {
  std::vector<int64_t> begin, end;
  for (int64_t step = 0; step < 5; ++step) {
    begin.push_back(static_cast<int64_t>(static_cast<double>(step) * step_ms * 1e6));
    end.push_back(static_cast<int64_t>(static_cast<double>(step + 1) * step_ms * 1e6));
  }
  record.series.push_back({rank, "step_begin_ns", "ns", begin});
  record.series.push_back({rank, "step_end_ns", "ns", end});
  record.series.push_back({rank, "samples", "samples", std::vector<int64_t>(5, 8 / ranks)});
  record.series.push_back({rank, "bytes_sent", "B", std::vector<int64_t>(5, 482)});
  record.series.push_back({rank, "loss", "nat", std::vector<double>{2.5, 2.25, 2, 1.75, last_loss}});
  record.series.push_back({rank, "loss_weight", "positions", std::vector<double>(5, 4)});
}

/// The launch of a cell in a block. Cell 4 fails, the last losses of cells 3 and 5 are NaN and infinite.
inline store::LaunchRecord launch_of(const std::string& campaign, size_t cell, int64_t block) {
  store::LaunchRecord out;
  store::LaunchRow& launch = out.launch;
  out.cell = cell_row(kCells[cell]);
  launch.campaign = campaign, launch.cell = out.cell.text, launch.block = block, launch.steps = 5, launch.warmup = 1;
  launch.number = block * static_cast<int64_t>(kCells.size()) + static_cast<int64_t>(cell) + 1;
  launch.id = fmt::format("{:032x}", launch.number), launch.status = store::LaunchStatus::finished;
  out.environment.json =
      R"({"machine":{"processors":2,"cores":1,"cpu":"X"},"system":"reference","versions":{"a":"1"}})";
  if (cell == 4) {
    launch.status = store::LaunchStatus::failed, launch.error_kind = "out_of_memory", launch.error_message = kAwkward;
    return out;
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double loss = cell == 3 ? std::nan("") : cell == 5 ? kInfinity : 1.5;
  const double step_ms = 3.1 + static_cast<double>(cell) + 0.013 * static_cast<double>((block * 7 + 3) % 5);
  for (int64_t rank = 0; rank < out.cell.ranks; ++rank) add_series(out, rank, out.cell.ranks, step_ms, loss);
  out.processes.push_back({0, "rank", "h", 1, 0, {}, 1'000'000 * (block + 50), {}, {}});
  return out;
}

/// Six blocks of kCells, imported in the order of `seed`; the same content for each seed.
inline store::CampaignRow awkward_campaign(store::Store& store, unsigned seed = 0) {
  store::CampaignRow campaign;
  campaign.suite = "s", campaign.started_utc_ns = 1'000'000'000, campaign.command_line = "lockstep run s";
  campaign.version = "0.1.0";
  campaign = store.begin_campaign(campaign);
  std::vector<size_t> order(6 * kCells.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = 0; i < order.size(); ++i) std::swap(order[i], order[(i * 7 + seed * 13) % order.size()]);
  for (const size_t i : order) {
    store.import_launch(launch_of(campaign.id, i % kCells.size(), static_cast<int64_t>(i / kCells.size())));
  }
  store.end_campaign(campaign.id, store::CampaignStatus::finished, 215'000'000'000);
  return *store.campaign(campaign.number);
}

}  // namespace lockstep::report::testing
