#include "gui/core/column_choice.h"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace lockstep::gui {
namespace {

constexpr const char* kOnly = "only";

}  // namespace

std::vector<size_t> chosen_columns(const Rows& rows, const std::string& choice) {
  if (choice == kDifferingColumns && rows.size() > 1) return differing_columns(rows);
  const std::set<std::string> keys = keys_of(choice);
  std::vector<size_t> out;
  for (size_t i = 0; i < rows.columns().size(); ++i) {
    if (keys.contains(rows.columns()[i].key)) out.push_back(i);
  }
  if (out.empty()) {
    out.resize(rows.columns().size());
    std::iota(out.begin(), out.end(), size_t{0});
  } else if (out.front() != 0) {
    out.insert(out.begin(), 0);
  }
  return out;
}

std::shared_ptr<const Rows> with_chosen_columns(std::shared_ptr<const Rows> rows, const std::string& choice) {
  std::vector<size_t> every(rows->size()), columns = chosen_columns(*rows, choice);
  std::iota(every.begin(), every.end(), size_t{0});
  return std::make_shared<SomeRows>(std::move(rows), std::move(every), std::move(columns));
}

std::string choice_of(const std::vector<report::Column>& columns, const std::set<std::string>& keys) {
  std::string out = kOnly;
  bool all = true;
  for (const report::Column& column : columns) {
    const bool is_chosen = keys.contains(column.key) || &column == &columns.front();
    if (is_chosen) out += " " + column.key;
    all = all && is_chosen;
  }
  return all ? kAllColumns : out;
}

std::set<std::string> keys_of(const std::string& choice) {
  std::istringstream words(choice);
  std::string word;
  std::set<std::string> out;
  if (!(words >> word) || word != kOnly) return out;
  while (words >> word) out.insert(word);
  return out;
}

}  // namespace lockstep::gui
