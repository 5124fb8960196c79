#pragma once

#include <string>

#include "reference_trainer/plan/describe.h"
#include "reference_trainer/plan/search.h"
#include "workloads/data/workload.h"

namespace lockstep::cli {

/// The page of `lockstep plan W S`, 100 columns where the strategy's own texts allow; `verbose`: also each tensor's
/// layout and where each collective comes from.
std::string plan_page(const workloads::Workload& workload, const plan::Description& description, bool verbose);
std::string plan_json(const workloads::Workload& workload, const plan::Description& description);

/// The page of `lockstep plan W --ranks N --fit SIZE`. `fit_bytes` 0: no limit.
std::string search_page(const workloads::Workload& workload, const plan::Search& search, int ranks, int64_t fit_bytes,
                        bool verbose);
std::string search_json(const workloads::Workload& workload, const plan::Search& search, int ranks, int64_t fit_bytes);

}  // namespace lockstep::cli
