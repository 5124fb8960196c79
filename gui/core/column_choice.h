#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gui/core/rows.h"

namespace lockstep::gui {

/// Which columns of a table are shown, as a view keeps it: these words, or the keys of the chosen ones after "only",
/// apart by blanks: "only cell step_s".
inline constexpr const char *kDifferingColumns = "differing", *kAllColumns = "all";

/// Numbers of the columns that a choice leaves, in the table's order. The first one always: it names the row. Keys that
/// the table lacks are passed over, as the same choice may be of a table that changes; where it has none, all are left.
std::vector<size_t> chosen_columns(const Rows& rows, const std::string& choice);

/// All rows with the columns that a choice leaves.
std::shared_ptr<const Rows> with_chosen_columns(std::shared_ptr<const Rows> rows, const std::string& choice);

/// The choice as text; every column of the table is "all".
std::string choice_of(const std::vector<report::Column>& columns, const std::set<std::string>& keys);

/// The keys that a choice names; nothing for "differing" and "all".
std::set<std::string> keys_of(const std::string& choice);

}  // namespace lockstep::gui
