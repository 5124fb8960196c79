#include <fmt/format.h>

#include <cmath>

#include "results/report/escape.h"
#include "results/report/formats.h"
#include "results/report/values.h"

namespace lockstep::report {
namespace {

std::vector<std::string> header_fields(const Table& table) {
  std::vector<std::string> out;
  for (const Column& column : table.columns) {
    out.push_back(column.key);
    if (!column.ranged) continue;
    for (const char* part : {"_low", "_high", "_level", "_n"}) out.push_back(column.key + part);
  }
  return out;
}

std::string number_field(double value) { return std::isnan(value) ? "" : exact(value); }

void add_fields(const Column& column, const Value& value, std::vector<std::string>& out) {
  const bool there = value.missing.empty();
  out.push_back(!there ? "" : value.numeric ? exact(value.estimate.value) : value.text);
  if (!column.ranged) return;
  const bool interval = there && value.estimate.level > 0;
  out.push_back(interval ? number_field(value.estimate.low) : "");
  out.push_back(interval ? number_field(value.estimate.high) : "");
  out.push_back(interval ? number_field(value.estimate.level) : "");
  out.push_back(there ? fmt::format("{}", value.estimate.n) : "");
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string out;
  for (size_t i = 0; i < fields.size(); ++i) out += (i > 0 ? "," : "") + csv_field(fields[i]);
  return out + "\n";
}

std::string missing_field(const Table& table, const Row& row) {
  std::string out;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const std::string& why = row.values[i].missing;
    if (!why.empty()) out += (out.empty() ? "" : "; ") + table.columns[i].key + ": " + why;
    if (row.values[i].unequal) out += (out.empty() ? "" : "; ") + table.columns[i].key + ": equal work FAILED";
  }
  return out;
}

}  // namespace

std::string csv(const Table& table) {
  std::vector<std::string> header = header_fields(table);
  header.emplace_back("missing");
  std::string out = csv_line(header);
  for (const Row& row : table.rows) {
    std::vector<std::string> fields;
    for (size_t i = 0; i < table.columns.size(); ++i) add_fields(table.columns[i], row.values[i], fields);
    fields.push_back(missing_field(table, row));
    out += csv_line(fields);
  }
  return out;
}

}  // namespace lockstep::report
