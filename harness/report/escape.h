#pragma once

#include <string>

/// Text made safe for where it is put. Bytes that are not UTF-8 become U+FFFD, so that a strict parser reads it.
namespace lockstep::report {

/// For XML and HTML, content and attributes; control characters that XML 1.0 forbids become U+FFFD.
std::string xml(const std::string& text);

/// For a cell of a Markdown table: one line, nothing that Markdown or HTML would take as markup.
std::string markdown(const std::string& text);

/// For a message and for a property of GitHub's workflow commands.
std::string workflow_text(const std::string& text);
std::string workflow_property(const std::string& text);

}  // namespace lockstep::report
