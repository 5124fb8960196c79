#pragma once

#include <string>

namespace lockstep::supervisor {

/// Written whole or not at all, whoever is killed meanwhile: a temporary file beside it and a rename. Failure "setup"
/// when the disk refuses.
void write_whole(const std::string& path, const std::string& text);

}  // namespace lockstep::supervisor
