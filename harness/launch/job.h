#pragma once

#include <string>

#include "adapters/contract/job.h"
#include "harness/launch/arrays.h"
#include "harness/suite/cells.h"
#include "reference_trainer/plan/text/strategy.h"

namespace lockstep::launch {

/// What a launch of a cell asks for beyond the cell.
struct Request {
  std::string launch_id;
  contract::Mode mode = contract::Mode::kTime;
  int64_t repetition = 0;
  int64_t warmup = 20;
  int64_t threads = 1;  ///< a rank
};

/// Whether a system's text names a checkpoint to go on from.
bool goes_on(const std::string& system);

/// The workload of a launch: repetition i trains with seed base + i, but what goes on from a checkpoint with the
/// base's; a proof's launch takes at most 100 steps at the full rate from the first one on (constant, no warm-up). Pure
/// but for reading the workload's file.
workloads::Workload workload_of(const suite::PlannedCell& cell, const Request& request,
                                const std::filesystem::path& folder);

/// Where each rank stands: data index = its place on the axis dp, stage = its place on pp.
std::vector<contract::RankPlace> places_of(const text::Strategy& strategy);

/// The parsed strategy for workers without a parser: {"axes": [{"axis", "size"}], "passes": [{"name", "arguments"}],
/// ...}.
std::string parsed_json(const text::Strategy& strategy);

/// The job of a launch in `folder`. Pure.
contract::Job make_job(const suite::PlannedCell& cell, const Request& request, const workloads::Workload& workload,
                       const Arrays& arrays, const std::filesystem::path& folder);

/// Data-parallel ranks of a cell: among how many the samples of a step are dealt.
int64_t data_ranks(const suite::PlannedCell& cell);

}  // namespace lockstep::launch
