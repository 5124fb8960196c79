#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference_trainer/plan/terms/table.h"
#include "reference_trainer/plan/text/strategy.h"

namespace lockstep::terms {

/// The term as a strategy's text has it, without arguments: "dp", "/zero1", "+async", "@ring". Unique in the table.
std::string written(const Row& row);

/// The row that is written so, or nullptr.
const Row* row_written(std::string_view text);

/// The rows that a strategy is made of, in the order of its text; none for `serial`.
std::vector<const Row*> rows_of(const text::Strategy& strategy);

/// Its terms with their arguments, as adapters claim them: "dp4", "accum:m=2", "@ring".
std::vector<std::string> printed(const text::Strategy& strategy);

/// True when a claim such as "dp{n}" or "accum" covers a term such as "dp4" or "accum:m=2". {n} stands for digits; a
/// claim without ":" covers every argument.
bool claim_covers(const std::string& claim, const std::string& term);

/// True when a claim is about the row, whatever its arguments: "dp{n}" about dp, "accum:m={n}" about /accum.
bool is_claimed(const Row& row, const std::string& claim);

/// A small strategy that has the term: the axis that it needs, with 2 ranks (4 of a pipeline), and the least value of
/// each argument that is required (8 microbatches). This version runs it where it does the term.
text::Strategy example(const Row& row);

}  // namespace lockstep::terms
