#include "results/report/escape.h"

#include <algorithm>
#include <span>
#include <utility>

#include "results/json/utf8.h"

namespace lockstep::report {
namespace {

using Replacement = std::pair<char, const char*>;

std::string replaced(std::string_view text, std::span<const Replacement> table) {
  std::string out;
  for (const char c : json::printable(text)) {
    const auto found = std::find_if(table.begin(), table.end(), [c](const Replacement& one) { return one.first == c; });
    if (found == table.end()) {
      out += c;
    } else {
      out += found->second;
    }
  }
  return out;
}

constexpr Replacement kXml[] = {{'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"}, {'"', "&quot;"},
                                {'\'', "&#39;"}, {'\n', "&#10;"}, {'\t', "&#9;"}};

// A hyphen ends no ligature, a bracket begins no optional argument after \\.
constexpr Replacement kLatex[] = {{'\\', "\\textbackslash{}"},
                                  {'{', "\\{"},
                                  {'}', "\\}"},
                                  {'$', "\\$"},
                                  {'&', "\\&"},
                                  {'#', "\\#"},
                                  {'%', "\\%"},
                                  {'_', "\\_"},
                                  {'^', "\\textasciicircum{}"},
                                  {'~', "\\textasciitilde{}"},
                                  {'<', "\\textless{}"},
                                  {'>', "\\textgreater{}"},
                                  {'|', "\\textbar{}"},
                                  {'"', "\\char34{}"},
                                  {'`', "\\char96{}"},
                                  {'\'', "\\char39{}"},
                                  {'[', "{[}"},
                                  {']', "{]}"},
                                  {'-', "-{}"},
                                  {'\n', " "},
                                  {'\t', " "}};

constexpr Replacement kMarkdown[] = {{'\\', "\\\\"}, {'`', "\\`"}, {'*', "\\*"},  {'_', "\\_"},  {'{', "\\{"},
                                     {'}', "\\}"},   {'[', "\\["}, {']', "\\]"},  {'#', "\\#"},  {'|', "\\|"},
                                     {'~', "\\~"},   {'$', "\\$"}, {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"},
                                     {'@', "&#64;"}, {'\n', " "},  {'\t', " "}};

constexpr Replacement kWorkflow[] = {{'%', "%25"}, {'\n', "%0A"}};
constexpr Replacement kProperty[] = {{'%', "%25"}, {'\n', "%0A"}, {':', "%3A"}, {',', "%2C"}};

constexpr Replacement kOneLine[] = {{'\n', " "}, {'\t', " "}, {'|', "\\|"}};

}  // namespace

std::string xml(std::string_view text) { return replaced(text, kXml); }

std::string latex_text(std::string_view text) { return replaced(text, kLatex); }

std::string markdown_text(std::string_view text) { return replaced(text, kMarkdown); }

std::string workflow_text(std::string_view text) { return replaced(text, kWorkflow); }

std::string workflow_property(std::string_view text) { return replaced(text, kProperty); }

std::string csv_field(std::string_view text) {
  const std::string clean = json::printable(text);
  if (clean.find_first_of("\",\n\r") == std::string::npos && !clean.starts_with(' ') && !clean.ends_with(' '))
    return clean;
  std::string out = "\"";
  for (const char c : clean) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string markdown_code(std::string_view text) {
  const std::string line = replaced(text, kOneLine);
  // A fence longer than any run of backquotes inside.
  size_t longest = 0, run = 0;
  for (const char c : line) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string fence(longest + 1, '`'), gap = longest > 0 ? " " : "";
  return fence + gap + line + gap + fence;
}

}  // namespace lockstep::report
