#include "harness/environment/version.h"

namespace lockstep::environment {

const char* version() { return LOCKSTEP_VERSION; }

}  // namespace lockstep::environment
