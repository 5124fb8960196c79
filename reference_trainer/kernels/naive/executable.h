#pragma once

#include <memory>

#include "reference_trainer/kernels/executable.h"

namespace lockstep::kernels::naive {

/// Compiles for the oracle: plain loops in one thread, fp32 or fp64, every tensor dense and row-major.
std::unique_ptr<Executable> compile(const graph::Graph& graph, const CompileOptions& options);

}  // namespace lockstep::kernels::naive
