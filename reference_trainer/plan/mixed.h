#pragma once

#include "reference_trainer/plan/stage.h"
#include "reference_trainer/plan/text/strategy.h"

namespace lockstep::plan {

// Mixed precision (Micikevicius et al. 2018): between ops activations and their gradients lie in memory, and travel, as
// 16-bit numbers. What makes one rounds it once, when its value is final; whoever reads it widens it again and computes
// in the run's precision. What is rounded is decided on the whole graph, so it is the same in every layout.
//
// In 16 bits: the first result of a forward op, if it has samples and one more axis, and its gradient. As before: what
// the loss and routers read, and routers' gates; further results (statistics, probabilities of attention, gates of an
// LSTM), which are what gradients are made from; what is fused into the next op; metrics; gradients of parameters; and
// sums that are still open: parts of a gradient, and of what an exchange adds up. Parameters stay as they are, but all
// of two or more axes are read through a copy that is rounded just before.

/// The format that the term `amp` names; real without it. Throws Failure("unsupported") where the term's arguments do
/// not fit each other, or the pipeline.
graph::Type storage_of(const text::Strategy& strategy);

/// Gives the tensors of a differentiated graph that live in 16 bits that type.
void mark_storage(graph::Graph& differentiated, graph::Type storage);

/// Of a lowered graph: what is an open sum on this rank is real until an exchange closes it.
void keep_sums_real(LocalGraph& local);

/// Writes the casts: a result that lives in 16 bits is made as a real temporary and then rounded, and each reader that
/// computes has a real copy of its own. Last of what edits a stage's ops, but for shards.
void write_casts(Stage& stage, graph::Type storage);

}  // namespace lockstep::plan
