#include "reference_trainer/plan/text/scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "adapters/contract/failure.h"

namespace lockstep::text {
namespace {

constexpr size_t kMostCharacters = 1 << 16;
constexpr size_t kMostShown = 80;
constexpr int kMostEdits = 16;
constexpr int kMostCuts = 64;
constexpr std::string_view kSeparators = "/+@:,. =";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }

/// In quotes, for messages: what does not print is shown as \xNN, and long texts are cut.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text.substr(0, kMostShown)) {
    if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out + (text.size() > kMostShown ? "...\"" : "\"");
}

std::string_view token_at(std::string_view text, size_t position) {
  const size_t end = text.find_first_of(kSeparators, position + 1);
  return text.substr(position, end == std::string_view::npos ? end : end - position);
}

using Parse = std::function<std::string(Scanner&)>;

/// The canonical text when `text` is legal, else the error.
std::optional<std::string> attempt(std::string_view text, const Parse& parse, SyntaxError& error) {
  try {
    Scanner in(text);
    return parse(in);
  } catch (SyntaxError& thrown) {
    error = std::move(thrown);
    return std::nullopt;
  }
}

std::string nearest_legal(std::string text, SyntaxError error, const Parse& parse, std::string_view last_resort) {
  for (int edits = 0; edits < kMostEdits && (error.replaced > 0 || !error.replacement.empty()); ++edits) {
    text.replace(error.position, error.replaced, error.replacement);
    if (auto legal = attempt(text, parse, error)) return *legal;
  }
  text.resize(std::min(error.position, text.size()));
  if (text.ends_with('=')) text.resize(text.find_last_of(":,") + 1);  // a key alone would read as a value
  for (int cuts = 0; cuts < kMostCuts && !text.empty(); ++cuts) {
    if (auto legal = attempt(text, parse, error)) return *legal;
    const size_t cut = text.find_last_of(kSeparators);
    text.resize(cut == std::string::npos ? 0 : cut);
  }
  return std::string(last_resort);
}

}  // namespace

bool Scanner::take(char c) {
  if (done() || text_[position_] != c) return false;
  ++position_;
  return true;
}

bool Scanner::take(std::string_view word) {
  if (!text_.substr(position_).starts_with(word)) return false;
  position_ += word.size();
  return true;
}

std::string_view Scanner::take_run(std::string_view also) {
  const size_t begin = position_;
  while (!done() && (is_letter(peek()) || is_digit(peek()) || also.find(peek()) != also.npos)) ++position_;
  return text_.substr(begin, position_ - begin);
}

std::string_view Scanner::take_digits() {
  const size_t begin = position_;
  while (is_digit(peek())) ++position_;
  return text_.substr(begin, position_ - begin);
}

std::string_view Scanner::take_letters() {
  const size_t begin = position_;
  while (is_letter(peek())) ++position_;
  return text_.substr(begin, position_ - begin);
}

void Scanner::fail(size_t position, std::string rule, size_t replaced, std::string replacement) const {
  rule += position >= text_.size() ? ", found the end" : ", found " + quoted(token_at(text_, position));
  throw SyntaxError{position, std::move(rule), replaced, std::move(replacement)};
}

void Scanner::expect_end(std::string_view or_else) const {
  if (!done()) fail(fmt::format("expected {}the end", or_else));
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (is_letter(c) && !is_lower(c)) c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string scan_name(Scanner& in, std::string_view what) {
  const std::string_view name = in.take_run("_");
  if (name.empty()) {
    const bool doubled = std::string_view("/+@").find(in.peek()) != std::string_view::npos;  // "dp2//bucket:1MB"
    in.fail(in.position(), fmt::format("expected {}, made of A-Z a-z 0-9 _", what), doubled ? 1 : 0);
  }
  return std::string(name);
}

std::string scan_id(Scanner& in, std::string_view what) {
  const size_t begin = in.position();
  const std::string_view id = in.take_run("_-");
  std::string lower = lower_case(id);
  if (id.empty() || id != lower || id[0] == '_' || id[0] == '-') {
    while (!lower.empty() && (lower[0] == '_' || lower[0] == '-')) lower.erase(0, 1);
    in.fail(begin, fmt::format("expected {}, made of a-z 0-9 _ - and not starting with _ or -", what), id.size(),
            lower);
  }
  return lower;
}

std::vector<Argument> scan_arguments(Scanner& in, Bare bare, Slash slash) {
  const std::string_view also = slash == Slash::yes ? "._%-/" : "._%-";
  std::vector<Argument> out;
  do {
    const size_t begin = in.position();
    std::string word(in.take_run(also));
    if (word.empty()) in.fail(bare == Bare::yes ? "expected a value or key=value" : "expected key=value");
    if (!in.take('=')) {
      if (bare == Bare::no) in.fail(begin, "expected key=value");
      if (!out.empty() && !out.back().key.empty()) in.fail(begin, "expected key=value: bare values stand before keys");
      out.push_back({"", std::move(word)});
      continue;
    }
    if (word.find_first_of(also.substr(0, 1)) != word.npos || word.find_first_of("%-/") != word.npos) {
      in.fail(begin, "expected a key, made of A-Z a-z 0-9 _");
    }
    if (std::any_of(out.begin(), out.end(), [&](const Argument& a) { return a.key == word; })) {
      in.fail(begin, fmt::format("expected each key once, {} is there already", word));
    }
    std::string value(in.take_run(also));
    if (value.empty()) in.fail(fmt::format("expected a value for {}, made of A-Z a-z 0-9 {}", word, also));
    out.push_back({std::move(word), std::move(value)});
  } while (in.take(','));
  return out;
}

void order_keys(std::vector<Argument>& arguments, std::span<const std::string_view> first) {
  std::stable_sort(arguments.begin(), arguments.end(),
                   [](const Argument& a, const Argument& b) { return a.key < b.key; });
  order_keys(arguments, first, {});
}

void order_keys(std::vector<Argument>& arguments, std::span<const std::string_view> first,
                std::span<const std::string_view> last) {
  const auto place = [&](const Argument& a) {
    if (a.key.empty()) return ptrdiff_t{-1};
    const auto early = std::find(first.begin(), first.end(), a.key);
    if (early != first.end()) return early - first.begin();
    const auto late = std::find(last.begin(), last.end(), a.key);
    const auto others = static_cast<ptrdiff_t>(first.size());
    return late == last.end() ? others : others + 1 + (late - last.begin());
  };
  std::stable_sort(arguments.begin(), arguments.end(),
                   [&](const Argument& a, const Argument& b) { return place(a) < place(b); });
}

void parse_or_refuse(std::string_view what, std::string_view text, std::string_view last_resort, const Parse& parse) {
  if (text.size() > kMostCharacters) {
    refuse({std::string(what), fmt::format("column {}", kMostCharacters + 1), quoted(text),
            fmt::format("expected at most {} characters, found {}", kMostCharacters, text.size()), ""});
  }
  SyntaxError error;
  if (attempt(text, parse, error)) return;
  const std::string nearest = nearest_legal(std::string(text), error, parse, last_resort);
  refuse({std::string(what), fmt::format("column {}", error.position + 1), quoted(text), error.rule,
          "nearest legal form: " + nearest});
}

}  // namespace lockstep::text
