#pragma once

#include <cstdint>

#include "reference_trainer/graph/graph.h"

namespace lockstep::graph {

/// Floating point operations of one op on `batch` samples. Contractions count 2 a multiply-add (attention in full, as
/// the kernels of the field do, not the causal half); element-wise ops and norms count their arithmetic a element,
/// with exp, tanh, sqrt and division as one each: the numbers stand in each op's row.
int64_t flops(const Graph& graph, const Op& op, int64_t batch);

/// Bytes of all operands, each read or written once, with `real_bytes` (4 or 8) a real number.
int64_t bytes(const Graph& graph, const Op& op, int64_t batch, int64_t real_bytes);

/// FLOPs of the forward matrix products, convolutions and recurrences times 3, a sample: the usual "model FLOPs" of a
/// step.
int64_t model_flops_per_sample(const Graph& graph);

}  // namespace lockstep::graph
