#pragma once

namespace lockstep::environment {

/// The version of this program, "0.1.0".
const char* version();

}  // namespace lockstep::environment
