#pragma once

#include <filesystem>
#include <optional>

#include "adapters/contract/event_reader.h"
#include "adapters/contract/job.h"
#include "harness/supervisor/order.h"
#include "results/store/rows.h"

namespace lockstep::collect {

/// Turns the events of a launch into the store's rows: series, processes, memory, evaluations, metrics, fingerprints.
/// Pure; nothing is averaged or left out, but samples that several ranks tell of (`places`: equal data indices) count
/// at the first of them.
void add_rows(store::LaunchRecord& record, const contract::RunEvents& run,
              const std::vector<contract::RankPlace>& places, const std::optional<supervisor::Report>& report);

/// The processes of a command of the user's own, as one row: nobody knows which of them are ranks. `role` is "tree".
void add_process_tree(store::LaunchRecord& record, const supervisor::Report& report);

/// Artifacts with size and hash, as far as the files are there.
void add_artifacts(store::LaunchRecord& record, const contract::RunEvents& run, const std::filesystem::path& folder);

/// What must be shown beside a launch's numbers: "short region" (under a second), "oversubscribed", "impossible rate"
/// (the steps' own times cover less than half of the time in which their events were made), "left processes behind".
std::vector<std::string> marks(const store::LaunchRow& launch, const contract::RunEvents& run,
                               const std::optional<supervisor::Report>& report, int64_t processors);

}  // namespace lockstep::collect
