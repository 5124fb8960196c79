#include "results/report/headings.h"

#include <algorithm>
#include <utility>

namespace lockstep::report {
namespace {

// What a column's ratios are against, and what its intervals are.
std::string about(const Column& column) {
  std::string out = column.base.empty() ? "" : "against " + column.base;
  if (column.interval.empty()) return out;
  const bool none = column.interval.starts_with("none: ");
  return out + (out.empty() ? "" : "; ") +
         (none ? "no interval, " + column.interval.substr(6) : "[..] " + column.interval);
}

}  // namespace

std::string heading(const Column& column) {
  return column.unit.empty() ? column.title : column.title + " (" + column.unit + ")";
}

std::vector<std::string> headings(const Table& table) {
  std::vector<std::string> out;
  for (const Column& column : table.columns) out.push_back(heading(column));
  return out;
}

std::string shown(const Value& value) {
  return value.text == "-" && !value.missing.empty() ? "- (" + value.missing + ")" : value.text;
}

std::vector<std::string> notes_of(const Table& table) {
  std::vector<std::pair<std::string, std::string>> said;  // columns, and what holds for all of them
  for (const Column& column : table.columns) {
    const std::string text = about(column);
    if (text.empty()) continue;
    const auto same = std::find_if(said.begin(), said.end(), [&](const auto& one) { return one.second == text; });
    if (same == said.end()) {
      said.emplace_back(column.title, text);
    } else {
      same->first += ", " + column.title;
    }
  }
  std::vector<std::string> out = table.notes;
  for (const auto& [columns, text] : said) out.push_back(columns + ": " + text + ".");
  return out;
}

}  // namespace lockstep::report
