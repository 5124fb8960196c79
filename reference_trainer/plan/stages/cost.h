#pragma once

#include <cstdint>
#include <vector>

#include "reference_trainer/graph/graph.h"
#include "reference_trainer/plan/stages/cut.h"

namespace lockstep::stages {

/// FLOPs of each forward op and of the backward ops that belong to it, for `batch` samples: the modelled cost of an op.
/// Measured costs are a list of the same form.
std::vector<double> flop_costs(const graph::Graph& differentiated, int64_t batch);

/// Bytes of the tensors that cross a cut, for `batch` samples, one way.
int64_t border_bytes(const graph::Graph&, int32_t cut, int64_t batch, int64_t real_bytes);

/// Parameters that forward ops [begin, end) read, each once, in the order of Graph::parameters.
std::vector<graph::TensorId> parameters_of(const graph::Graph&, int32_t begin, int32_t end);

/// Bytes of the activations that an op makes, for `batch` samples.
int64_t made_bytes(const graph::Graph&, const graph::Op& op, int64_t batch, int64_t real_bytes);

}  // namespace lockstep::stages
