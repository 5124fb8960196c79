#include "gui/core/filter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QRegularExpression>
#include <algorithm>
#include <charconv>

#include "adapters/contract/failure.h"
#include "gui/core/text.h"
#include "results/report/values.h"
#include "results/snapshot/workload_text.h"

namespace lockstep::gui {
namespace {

using Test = RowFilter::Test;
using Term = RowFilter::Term;

struct Operator {
  const char* text;
  Test test;
};
// Longer ones first.
constexpr Operator kOperators[] = {{">=", Test::at_least}, {"<=", Test::at_most}, {">", Test::greater},
                                   {"<", Test::less},      {"=", Test::equals},   {":", Test::contains}};

[[noreturn]] void refuse_at(const std::string& text, size_t column, const std::string& expected) {
  refuse({"filter", fmt::format("column {}", column + 1), "\"" + text + "\"", "expected " + expected,
          "for example: system:pytorch ranks>=2 -fabric:null"});
}

bool is_key(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// A term as typed, quotes removed, with the place of its first operator outside quotes.
struct Token {
  std::string text;
  size_t column = 0, split = std::string::npos;
};

std::vector<Token> tokens_of(const std::string& text) {
  std::vector<Token> out;
  size_t i = 0;
  while (i < text.size()) {
    if (text[i] == ' ') {
      ++i;
      continue;
    }
    Token token{"", i, std::string::npos};
    bool quoted = false;
    for (; i < text.size() && (quoted || text[i] != ' '); ++i) {
      if (text[i] == '"') {
        quoted = !quoted;
      } else {
        if (!quoted && token.split == std::string::npos && std::string(":=<>").find(text[i]) != std::string::npos) {
          token.split = token.text.size();
        }
        token.text += text[i];
      }
    }
    if (quoted) refuse_at(text, token.column, "a closing quote");
    out.push_back(std::move(token));
  }
  return out;
}

Term term_of(const std::string& text, Token token) {
  Term out;
  if (token.text.size() > 1 && token.text[0] == '-') {
    out.negated = true;
    token.text.erase(0, 1);
    if (token.split != std::string::npos) --token.split;
  }
  out.value = token.text;
  if (token.split == std::string::npos || !is_key(token.text.substr(0, token.split))) return out;
  const std::string rest = token.text.substr(token.split);
  for (const Operator& op : kOperators) {
    if (!rest.starts_with(op.text)) continue;
    out.key = token.text.substr(0, token.split), out.test = op.test;
    out.value = rest.substr(std::string_view(op.text).size());
    break;
  }
  if (out.value.empty()) refuse_at(text, token.column + token.split, "a value after the operator");
  if (out.test == Test::contains || out.test == Test::equals) return out;
  const char* end = out.value.data() + out.value.size();
  const auto [stopped, error] = std::from_chars(out.value.data(), end, out.number);
  if (error != std::errc() || stopped != end) refuse_at(text, token.column, "a number, not \"" + out.value + "\"");
  return out;
}

bool contains(const std::string& text, const std::string& pattern) {
  if (pattern.find_first_of("*?") == std::string::npos) return qt(text).contains(qt(pattern), Qt::CaseInsensitive);
  QString expression = QRegularExpression::escape(qt(pattern));
  expression.replace("\\*", ".*").replace("\\?", ".");
  const QRegularExpression glob(QRegularExpression::anchoredPattern(expression),
                                QRegularExpression::CaseInsensitiveOption);
  return glob.match(qt(text)).hasMatch();
}

bool text_holds(const Term& term, const std::string& text) {
  return term.test == Test::equals ? text == term.value : contains(text, term.value);
}

bool number_holds(const Term& term, double number) {
  switch (term.test) {
    case Test::less:
      return number < term.number;
    case Test::greater:
      return number > term.number;
    case Test::at_most:
      return number <= term.number;
    case Test::at_least:
      return number >= term.number;
    default:
      return text_holds(term, report::exact(number));
  }
}

bool holds(const Term& term, const report::Value& value) {
  const bool number = value.numeric && value.missing.empty();
  const bool ordering = term.test != Test::contains && term.test != Test::equals;
  if (ordering) return number && number_holds(term, value.estimate.value);
  return text_holds(term, value.text) || (number && number_holds(term, value.estimate.value));
}

constexpr size_t kAnyColumn = std::string::npos;

size_t column_of(const Term& term, const std::vector<report::Column>& columns) {
  if (term.key.empty()) return kAnyColumn;
  std::vector<std::string> keys;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].key == term.key) return i;
    keys.push_back(columns[i].key);
  }
  refuse({"filter", "", term.key, "is no column here", fmt::format("the columns are: {}", fmt::join(keys, ", "))});
}

bool holds(const Term& term, size_t column, const Rows& rows, size_t row) {
  if (column != kAnyColumn) return holds(term, rows.value(row, column));
  for (size_t i = 0; i < rows.columns().size(); ++i) {
    if (text_holds(term, rows.value(row, i).text)) return true;
  }
  return false;
}

}  // namespace

std::string term_text(const std::string& key, const std::string& operation, const std::string& value, bool negated) {
  const bool has_quotes = value.find('"') != std::string::npos;
  std::string text = value;
  std::replace(text.begin(), text.end(), '"', '?');
  const bool is_plain = !text.empty() && text.find_first_of(" :=<>") == std::string::npos;
  if (!is_plain) text = "\"" + text + "\"";
  return (negated ? "-" : "") + key + (has_quotes && operation == "=" ? ":" : operation) + text;
}

std::string with_term(const std::string& filter, const std::string& term) {
  const size_t at = (" " + filter + " ").find(" " + term + " ");
  if (at != std::string::npos) return filter;
  return filter.empty() ? term : filter + " " + term;
}

RowFilter parse_row_filter(const std::string& text) {
  RowFilter out;
  for (Token& token : tokens_of(text)) out.terms.push_back(term_of(text, std::move(token)));
  return out;
}

std::vector<size_t> matching(const RowFilter& filter, const Rows& rows) {
  std::vector<size_t> columns, out;
  for (const Term& term : filter.terms) columns.push_back(column_of(term, rows.columns()));
  for (size_t row = 0; row < rows.size(); ++row) {
    bool all = true;
    for (size_t i = 0; i < columns.size() && all; ++i) {
      all = holds(filter.terms[i], columns[i], rows, row) != filter.terms[i].negated;
    }
    if (all) out.push_back(row);
  }
  return out;
}

bool matches(const RowFilter& filter, const store::CellRow& cell) {
  const std::pair<const char*, report::Value> fields[] = {
      {"workload", report::text_value(cell.workload)},
      {"preset", report::text_value(snapshot::preset_of(cell.workload))},
      {"system", report::text_value(cell.system)},
      {"strategy", report::text_value(cell.strategy)},
      {"fabric", report::text_value(cell.fabric)},
      {"ranks", report::count_value(cell.ranks)}};
  for (const Term& term : filter.terms) {
    if (term.key.empty()) {
      if (text_holds(term, cell.text) == term.negated) return false;
      continue;
    }
    for (const auto& [key, value] : fields) {
      if (term.key == key && holds(term, value) == term.negated) return false;
    }
  }
  return true;
}

}  // namespace lockstep::gui
