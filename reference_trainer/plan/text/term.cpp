#include "reference_trainer/plan/text/term.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "reference_trainer/plan/text/scanner.h"

namespace lockstep::text {

const std::string* Term::find(std::string_view key) const {
  for (const Argument& argument : arguments) {
    if (argument.key == key) return &argument.value;
  }
  return nullptr;
}

int Term::whole(std::string_view key, int otherwise) const {
  const std::string* text = find(key);
  if (text) std::from_chars(text->data(), text->data() + text->size(), otherwise);
  return otherwise;
}

std::string print(const std::vector<Argument>& arguments) {
  std::string out;
  for (const Argument& argument : arguments) {
    if (!out.empty()) out += ',';
    if (!argument.key.empty()) out += argument.key + "=";
    out += argument.value;
  }
  return out;
}

std::string print(const Term& term) {
  return term.arguments.empty() ? term.name : term.name + ":" + print(term.arguments);
}

std::string canonical_number(std::string_view text) {
  if (text.empty()) return {};
  if (text.find_first_not_of("0123456789") == text.npos) {
    // Not through a double: seeds have 64 bits.
    const size_t first = text.find_first_not_of('0');
    return std::string(first == text.npos ? "0" : text.substr(first));
  }
  if (text.find_first_not_of("0123456789.-eE") != text.npos) return std::string(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::string(text);
  std::string out = fmt::format("{}", value);
  std::erase(out, '+');  // "1e+20": the plus would start the next term
  return out;
}

}  // namespace lockstep::text
