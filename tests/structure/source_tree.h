#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::structure {

/// Files of the project, relative to its root: what git tracks or would add; without git all files outside folders that
/// builds and launches make.
std::vector<std::string> project_files();

/// The content of a file of the project.
std::string content(const std::string& file);

struct Include {
  std::string path;
  bool quoted = false;  ///< "..." rather than <...>
  int line = 0;
};

/// The #include lines of a text.
std::vector<Include> includes(std::string_view text);

/// Targets of the links of a Markdown text: [words](target), without targets that name another host.
std::vector<std::string> links(std::string_view markdown);

/// Words between blanks.
std::vector<std::string_view> words(std::string_view list);

}  // namespace lockstep::structure
