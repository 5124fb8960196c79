#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "reference_trainer/plan/text/strategy.h"
#include "workloads/data/workload.h"

namespace lockstep::suite {

/// A strategy that cuts its stages by a file of measured costs of `folder`, as in pp2/stages:costs.json, or within a
/// limit of memory (stages:balanced,fit=1GiB), with the cut in its place: pp2/stages:conv2. What is recorded, compared
/// and given to workers is thus what was decided, and two files that lead to two cuts are two strategies. Any other
/// strategy as it is. Throws Failure("usage") with file, key, value, rule and remedy, and what plan::with_chosen_cut
/// throws.
text::Strategy with_chosen_cut(const text::Strategy& strategy, const workloads::Workload& workload,
                               const std::filesystem::path& folder = ".");

/// The file (docs/formats.md): nanoseconds of a sample of each forward op with its backward. `ns_by_op`: of a sample,
/// by the name of every op that ran, as recorded.
std::string costs_text(const workloads::Workload& workload, const std::string& launch,
                       const std::map<std::string, double>& ns_by_op);

}  // namespace lockstep::suite
