#pragma once

#include "reference_trainer/plan/plan.h"

namespace lockstep::plan {

/// How many gathers of parameters begin ahead of their use; 0 without the term. Throws Failure("unsupported") where
/// parameters are not gathered.
int prefetch_of(const text::Strategy& strategy);

/// An op that begins a gather, for the later one that makes the tensors.
bool begins_gather(const graph::Op& op);

/// Begins each gather of parameters where the plan's `prefetch` gathers before it are done (the prefetcher of
/// ZeRO-Infinity: Rajbhandari et al. 2021), in forward and in each part of backward for itself, so that a schedule may
/// put anything between these. Edits the ops of all stages; after shard().
void begin_gathers_ahead(Plan& plan);

}  // namespace lockstep::plan
