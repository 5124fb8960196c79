#pragma once

#include "reference_trainer/plan/plan.h"

namespace lockstep::plan {

/// Partitioned activation checkpoints (ZeRO-R's P_a: Rajbhandari et al. 2020, section 6.1): what forward keeps for
/// backward and all tensor-parallel ranks hold alike, each keeps a share of from there on, and backward gathers it
/// before its first reader. A rank sends (t-1)/t of each checkpoint a microbatch. Needs the passes that decide what is
/// kept to have run; edits the ops of all stages. Throws Failure("unsupported") without recomputation.
void partition_checkpoints(Plan& plan);

}  // namespace lockstep::plan
