#pragma once

#include <string>
#include <string_view>

namespace lockstep::launch {

/// Text as one word of a POSIX shell, always in single quotes.
std::string single_quoted(std::string_view text);

/// The same, as it is where the shell would take it so.
std::string shell_word(std::string_view word);

}  // namespace lockstep::launch
