#include <fmt/format.h>

#include "results/report/escape.h"
#include "results/report/formats.h"
#include "results/report/headings.h"

namespace lockstep::report {
namespace {

/// Lines that may be left out one by one from the end; those of a block (a table's head) only together.
class Lines {
 public:
  void add(std::string block) { blocks_.push_back(std::move(block) + "\n"); }

  std::string text(size_t limit, const std::string& all) const {
    size_t size = 0, kept = 0;
    while (kept < blocks_.size() && size + blocks_[kept].size() <= limit) size += blocks_[kept++].size();
    if (kept == blocks_.size()) return joined(kept);
    while (kept > 0 && size + left_out(kept, all).size() > limit) size -= blocks_[--kept].size();
    return joined(kept) + left_out(kept, all);
  }

 private:
  std::string left_out(size_t kept, const std::string& all) const {
    return fmt::format("\nLeft out here: the last {} of {} lines. All of it: {}\n", blocks_.size() - kept,
                       blocks_.size(), markdown_code(all));
  }
  std::string joined(size_t kept) const {
    std::string out;
    for (size_t i = 0; i < kept; ++i) out += blocks_[i];
    return out;
  }

  std::vector<std::string> blocks_;
};

std::string markdown_row(const std::vector<std::string>& fields) {
  std::string out = "|";
  for (const std::string& field : fields) out += " " + markdown_text(field) + " |";
  return out;
}

void add_markdown_table(const Table& table, Lines& out) {
  std::string rule = "|";
  for (const Column& column : table.columns) rule += column.quantity == Quantity::name ? ":--|" : "--:|";
  out.add("\n**" + markdown_text(table.title) + "**\n");
  out.add(markdown_row(headings(table)) + "\n" + rule);
  for (const Row& row : table.rows) {
    std::vector<std::string> fields;
    for (const Value& value : row.values) fields.push_back(shown(value));
    out.add(markdown_row(fields));
  }
  for (const std::string& note : notes_of(table)) out.add("\n" + markdown_text(note));
}

void add_section(const Section& section, Lines& out) {
  out.add("\n## " + markdown_text(section.title));
  for (const std::string& paragraph : section.paragraphs) out.add("\n" + markdown_text(paragraph));
  if (!section.findings.empty()) out.add("");
  for (const std::string& finding : section.findings) out.add("- " + markdown_text(finding));
  for (const std::string& command : section.commands) out.add("\n    " + command);
  if (section.wide) return;
  for (const Table& table : section.tables) add_markdown_table(table, out);
}

}  // namespace

std::string markdown(const ReportModel& model, const std::string& all, size_t limit) {
  Lines out;
  out.add("# " + markdown_text(model.title));
  for (const Fact& fact : model.setup)
    out.add((&fact == &model.setup.front() ? "\n- " : "- ") + markdown_text(fact.name + ": " + fact.text));
  for (const Section& section : model.sections) {
    const bool figures_only = section.tables.empty() && !section.figures.empty();
    if (!figures_only) add_section(section, out);
  }
  return out.text(limit, all);
}

}  // namespace lockstep::report
