#pragma once

#include <string>
#include <string_view>

/// Text as it has to stand in each format. Broken UTF-8 and control characters become U+FFFD everywhere.
namespace lockstep::report {

/// For HTML and XML, in text and in attributes with double quotes.
std::string xml(std::string_view text);
/// One field of RFC 4180, quoted where it has to be.
std::string csv_field(std::string_view text);
/// One line of LaTeX with every special character escaped; other scripts need LuaLaTeX or XeLaTeX and a font.
std::string latex_text(std::string_view text);
/// One line of Markdown (CommonMark with tables) in which nothing is markup.
std::string markdown_text(std::string_view text);
/// `text` in a code span, one line.
std::string markdown_code(std::string_view text);
/// For a message and for a property of GitHub's workflow commands.
std::string workflow_text(std::string_view text);
std::string workflow_property(std::string_view text);

}  // namespace lockstep::report
