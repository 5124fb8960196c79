#include <fmt/format.h>

#include "results/report/escape.h"
#include "results/report/formats.h"
#include "results/report/headings.h"

namespace lockstep::report {
namespace {

std::string latex_row(const std::vector<std::string>& fields) {
  std::string out;
  for (size_t i = 0; i < fields.size(); ++i) out += (i > 0 ? " & " : "") + latex_text(fields[i]);
  return out + " \\\\\n";
}

std::string tabular(const Table& table) {
  std::string alignment;
  for (const Column& column : table.columns) alignment += column.quantity == Quantity::name ? 'l' : 'r';
  std::string out =
      fmt::format("\\begin{{tabular}}{{{}}}\n\\hline\n{}\\hline\n", alignment, latex_row(headings(table)));
  for (const Row& row : table.rows) {
    std::vector<std::string> fields;
    for (const Value& value : row.values) fields.push_back(shown(value));
    out += latex_row(fields);
  }
  return out + "\\hline\n\\end{tabular}\n";
}

std::string latex_table(const Table& table) {
  std::string out = "\n% " + latex_text(table.title) + "\n\\noindent " + latex_text(table.title) + "\\par\n" +
                    tabular(table) + "\\par\n";
  for (const std::string& note : notes_of(table)) out += "\\noindent " + latex_text(note) + "\\par\n";
  return out;
}

}  // namespace

std::string latex(const ReportModel& model) {
  std::string out = "% " + latex_text(model.title) + "\n";
  for (const Section& section : model.sections) {
    if (section.wide) continue;
    for (const Table& table : section.tables) out += latex_table(table);
  }
  if (!model.methods.empty()) out += "\n\\noindent " + latex_text(model.methods) + "\\par\n";
  return out;
}

}  // namespace lockstep::report
