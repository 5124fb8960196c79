#pragma once

#include <string>

#include "results/report/model.h"

/// The renderers of a report model; each stands in its own file.
namespace lockstep::report {

/// One file without any reference to another; well-formed as XML too. Numbers are in `data-value`, `data-low`,
/// `data-high`, `data-level` and `data-n` with full precision, under the `data-key` of their column's head.
std::string html(const ReportModel& model);

/// At most `limit` bytes: what does not fit is left out at the end, line by line, and the last line says so and prints
/// `all`, the command that leaves nothing out.
std::string markdown(const ReportModel& model, const std::string& all, size_t limit = 60'000);

/// The tables as plain `tabular`s for \input: no package is needed.
std::string latex(const ReportModel& model);

/// RFC 4180 with a header line; names carry their units, numbers are in base units. A value that is not there is empty.
std::string csv(const Table& table);

/// Columns for a terminal, with the reasons of what is missing below.
std::string terminal(const Table& table);

}  // namespace lockstep::report
