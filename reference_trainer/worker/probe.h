#pragma once

#include <string>

namespace lockstep::worker {

/// The answer to --probe: versions and capabilities as one line of JSON.
std::string probe();

}  // namespace lockstep::worker
