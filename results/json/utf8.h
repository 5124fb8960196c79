#pragma once

#include <string>
#include <string_view>

namespace lockstep::json {

/// The length of the UTF-8 sequence at `at` (RFC 3629); 0 where there is none.
size_t utf8_sequence(std::string_view text, size_t at);

/// The text with U+FFFD for what is broken UTF-8 or a character that no document may hold: control characters but tab
/// and newline, U+FFFE, U+FFFF.
std::string printable(std::string_view text);

}  // namespace lockstep::json
