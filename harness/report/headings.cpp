#include "harness/report/headings.h"

namespace lockstep::report {

std::string heading(const Column& column) {
  return column.unit.empty() ? column.title : column.title + " (" + column.unit + ")";
}

std::vector<std::string> headings(const Table& table) {
  std::vector<std::string> out;
  for (const Column& column : table.columns) out.push_back(heading(column));
  return out;
}

std::string shown(const Value& value) {
  return value.missing.empty() ? value.text : value.text + " (" + value.missing + ")";
}

std::vector<std::string> notes_of(const Table& table) {
  std::vector<std::string> out = table.notes;
  for (const Column& column : table.columns) {
    if (column.deterministic && column.base.empty()) continue;
    std::string note = column.title + ":";
    if (!column.base.empty()) note += " against " + column.base + (column.interval.empty() ? "" : ";");
    if (!column.interval.empty())
      note += (column.interval.starts_with("none: ") ? " no interval (" + column.interval.substr(6) + ")"
                                                     : " [..] " + column.interval);
    out.push_back(note + ".");
  }
  return out;
}

}  // namespace lockstep::report
