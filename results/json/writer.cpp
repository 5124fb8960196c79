#include "results/json/writer.h"

#include <fmt/format.h>

#include <cmath>

#include "adapters/contract/invariant.h"
#include "results/json/utf8.h"

namespace lockstep::json {
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8_sequence(text, at);
    const char c = text[at];
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      out += '\\', out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out.append(text, at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return out + "\"";
}

void Writer::line() {
  out_ += '\n';
  out_.append(open_.size(), ' ');
}

void Writer::before_value() {
  if (!after_key_ && !open_.empty()) {
    LOCKSTEP_INVARIANT(open_.back() == '[', "a value without a key in an object: {}", out_);
    if (!first_) out_ += ',';
    line();
  }
  after_key_ = false;
  first_ = false;
}

Writer& Writer::open(char bracket) {
  before_value();
  out_ += bracket;
  open_ += bracket;
  first_ = true;
  return *this;
}

Writer& Writer::close() {
  LOCKSTEP_INVARIANT(!open_.empty() && !after_key_, "nothing to close: {}", out_);
  const char bracket = open_.back() == '{' ? '}' : ']';
  open_.pop_back();
  if (!first_) line();
  out_ += bracket;
  first_ = false;
  if (open_.empty()) out_ += '\n';
  return *this;
}

Writer& Writer::key(std::string_view name) {
  LOCKSTEP_INVARIANT(!open_.empty() && open_.back() == '{' && !after_key_, "a key where none belongs: {}", name);
  if (!first_) out_ += ',';
  line();
  out_ += quoted(name) + ": ";
  after_key_ = true;
  return *this;
}

Writer& Writer::raw(std::string_view json) {
  before_value();
  out_ += json;
  return *this;
}

Writer& Writer::value(std::string_view text) { return raw(quoted(text)); }

Writer& Writer::value(double number) {
  if (std::isnan(number)) return value("NaN");
  if (std::isinf(number)) return value(number > 0 ? "Infinity" : "-Infinity");
  return raw(fmt::format("{}", number));
}

Writer& Writer::value(const std::vector<std::string>& list) {
  open_array();
  for (const std::string& text : list) value(std::string_view(text));
  return close();
}

}  // namespace lockstep::json
