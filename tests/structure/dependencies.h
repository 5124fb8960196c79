#pragma once

#include <map>
#include <string>
#include <vector>

namespace lockstep::structure {

/// File name to content, relative to the root.
using Sources = std::map<std::string, std::string>;

/// "FILE:LINE: MODULE may not include PATH (OTHER MODULE)" for each include outside dependency_table.h.
std::vector<std::string> wrong_includes(const Sources& sources);

/// "FILE:LINE: HEAVY in a header that OTHERS include" where a header of another folder, or more than a few of its
/// sources, include a header with a heavy one.
std::vector<std::string> heavy_headers(const Sources& sources);

}  // namespace lockstep::structure
