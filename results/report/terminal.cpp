#include <fmt/format.h>

#include <map>

#include "results/report/figures.h"
#include "results/report/formats.h"
#include "results/report/headings.h"

namespace lockstep::report {
namespace {

constexpr size_t kTerminalWidth = 100;
constexpr int kNoteLines = 3;

/// Numbers the reasons of missing values, each once.
class Footnotes {
 public:
  std::string mark(const std::string& reason) {
    const auto [found, fresh] = numbers_.try_emplace(reason, numbers_.size() + 1);
    if (fresh) reasons_.push_back(reason);
    return fmt::format("- ({})", found->second);
  }
  std::string text() const {
    std::string out;
    for (size_t i = 0; i < reasons_.size(); ++i)
      out += wrap(fmt::format("({}) {}", i + 1, reasons_[i]), kTerminalWidth, kNoteLines);
    return out;
  }

 private:
  std::map<std::string, size_t> numbers_;
  std::vector<std::string> reasons_;
};

}  // namespace

std::string terminal(const Table& table) {
  Columns columns;
  Footnotes footnotes;
  columns.add(headings(table));
  for (const Row& row : table.rows) {
    std::vector<std::string> fields;
    for (const Value& value : row.values)
      fields.push_back(value.missing.empty() ? value.text : footnotes.mark(value.missing));
    columns.add(fields);
  }
  std::string out = wrap(table.title, kTerminalWidth, kNoteLines) + columns.text(1);
  for (const std::string& note : notes_of(table)) out += wrap(note, kTerminalWidth, kNoteLines);
  return out + footnotes.text();
}

}  // namespace lockstep::report
