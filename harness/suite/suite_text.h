#pragma once

#include <string>

#include "harness/suite/suite.h"

namespace lockstep::suite {

/// A suite document that parse_suite reads back to the same suite: what a campaign keeps of it, command line applied.
std::string suite_text(const Suite& suite);

}  // namespace lockstep::suite
