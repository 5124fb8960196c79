#pragma once

#include <string>

#include "reference_trainer/plan/plan.h"

namespace lockstep::plan {

/// What of the model lies on the plan's rank, in the order of the model: "embed (tied), pos, layers 0-1". A layer is a
/// block of ops whose names agree up to the first dot; one that a border cuts is "part of layer 1". Ops without
/// parameters are not named.
std::string contents_of(const Plan& plan);

/// The block of an op of the whole graph, or -1: "b1.fc1" is 1 where b1 is the second block.
int layer_of(const graph::Graph& whole, std::string_view op);

}  // namespace lockstep::plan
