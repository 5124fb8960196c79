#pragma once

#include "tests/kernels/op_cases.h"

namespace lockstep::kernels::testing {

/// A workload of the catalogue as a whole training graph: resolved, built, differentiated, fused. `batch` 0: the
/// recipe's.
OpCase model_case(const std::string& id, const std::string& preset, int64_t batch = 0);

}  // namespace lockstep::kernels::testing
