#pragma once

#include <string>
#include <vector>

#include "gui/core/rows.h"
#include "results/store/rows.h"

namespace lockstep::gui {

/// What the filter bar says: terms, separated by blanks, all of which must hold.
///
///     gpt                   some text of the row contains it (upper and lower case are one)
///     system:pytorch        the column contains it; `*` and `?` stand for any characters
///     strategy=dp2          the column is exactly this
///     ranks>=2  step_s<0.01 a number in the column's raw unit (seconds, bytes); a row without one does not match
///     -fabric:null          a term that must not hold
///     "two words"           quotes keep blanks together
struct RowFilter {
  enum class Test : uint8_t { contains, equals, less, greater, at_most, at_least };
  struct Term {
    bool negated = false;
    std::string key;  ///< empty: any text column
    Test test = Test::contains;
    std::string value;
    double number = 0;
  };
  std::vector<Term> terms;
};

/// A term as it is typed: `key`, an operator of the list above, a value. Quotes that the value has stand as "?", which
/// is any character.
std::string term_text(const std::string& key, const std::string& operation, const std::string& value,
                      bool negated = false);
/// The filter with a term more; one that it has already is not added again.
std::string with_term(const std::string& filter, const std::string& term);

/// Throws Failure("usage") that points at the column and names what was expected.
RowFilter parse_row_filter(const std::string& text);

/// Numbers of the rows that match. A term on a column that they lack throws Failure("usage") that names those there
/// are.
std::vector<size_t> matching(const RowFilter& filter, const Rows& rows);

/// Only terms on what a cell has (workload, preset, system, strategy, fabric, ranks, and words) are asked.
bool matches(const RowFilter& filter, const store::CellRow& cell);

}  // namespace lockstep::gui
