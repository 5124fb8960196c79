#pragma once

#include "reference_trainer/graph/graph.h"

namespace lockstep::graph {

/// Merges a relu or tanh into the linear or conv2d before it, where nobody else reads the value in between (the
/// gradients of these functions need only their result). Same results, one pass over memory less. Applied after
/// differentiation.
Graph fuse_activations(Graph graph);

/// By forward op, whether it would merge the next one into it.
std::vector<bool> takes_activation(const Graph& differentiated);

}  // namespace lockstep::graph
