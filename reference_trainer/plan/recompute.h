#pragma once

#include "reference_trainer/plan/stage.h"
#include "reference_trainer/plan/text/strategy.h"

namespace lockstep::plan {

/// Activation recomputation (checkpointing: Chen et al. 2016): forward keeps only what goes from one segment of layers
/// to the next, and backward makes the rest again, a segment at a time, before it is first read. Segments are
///
///   recompute:full       single layers: a run of ops whose names begin alike up to the first dot
///   recompute:every=K    K layers
///   recompute:sqrt       ceil(sqrt(L)) of L layers
///   recompute:selective  attention alone, whose probabilities are large and cheap (Korthikanti et al. 2022)
///
/// Ops that change a state (running statistics) or make a metric run once, so what they made is kept. Results keep
/// their bits. Nothing happens where the strategy has no such term.
void recompute(Stage& stage, const text::Strategy& strategy);

}  // namespace lockstep::plan
