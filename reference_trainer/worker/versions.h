#pragma once

#include <map>
#include <string>

namespace lockstep::worker {

/// What may change a time: this program, its compiler and its libraries.
std::map<std::string, std::string> versions();

}  // namespace lockstep::worker
