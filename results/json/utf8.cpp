#include "results/json/utf8.h"

namespace lockstep::json {

size_t utf8_sequence(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  const size_t length = lead < 0x80                   ? 1
                        : lead >= 0xC2 && lead < 0xE0 ? 2
                        : lead >= 0xE0 && lead < 0xF0 ? 3
                        : lead >= 0xF0 && lead < 0xF5 ? 4
                                                      : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = length > 1 ? byte(at + 1) : 0;
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool beyond = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
  return overlong || beyond ? 0 : length;
}

std::string printable(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8_sequence(text, at);
    const std::string_view one = text.substr(at, length);
    const auto c = static_cast<unsigned char>(text[at]);
    const bool control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
    const bool noncharacter = one == "\xEF\xBF\xBE" || one == "\xEF\xBF\xBF";
    out += length == 0 || control || noncharacter ? std::string_view("\xEF\xBF\xBD") : one;
    at += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace lockstep::json
