#pragma once

#include <string>
#include <vector>

#include "results/report/model.h"

namespace lockstep::report {

/// What a report breaks of the rules for reporting measurements of parallel systems (Hoefler and Belli 2015), each with
/// the place: "figure Throughput: ...". Empty: nothing. The rules stand in docs/statistics.md.
std::vector<std::string> lint(const ReportModel& model);

}  // namespace lockstep::report
