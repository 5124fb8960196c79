#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tests/kernels/case_graph.h"

namespace lockstep::kernels::testing {

/// A row of the table that drives the correctness tests, the gradient tests and the benchmarks.
struct OpCase {
  std::string name;
  std::function<CaseGraph()> make;
  int64_t batch = 3;
  double tolerance = 2e-6;  ///< fp32 against the fp64 oracle, relative to the largest number of a tensor (at least 1)
  bool smooth = true;       ///< has finite-difference gradients
};

/// Small and odd sizes: every op kind.
std::vector<OpCase> op_cases();

/// Several ops in a row: formats that travel between convolutions, memory that is shared.
std::vector<OpCase> chain_cases();

}  // namespace lockstep::kernels::testing
