#pragma once

#include <memory>

#include "reference_trainer/kernels/executable.h"

namespace lockstep::kernels::onednn {

/// Compiles for the fast set, fp32: oneDNN's convolutions and pools in the formats that it chooses, our own vectorized
/// loops for the rest.
std::unique_ptr<Executable> compile(const graph::Graph& graph, const CompileOptions& options);

}  // namespace lockstep::kernels::onednn
