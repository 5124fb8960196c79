#pragma once

#include "reference_trainer/plan/plan.h"

namespace lockstep::plan {

/// Sharded data parallelism (ZeRO: Rajbhandari et al. 2020). 0: none; 1: each rank keeps, and updates, its shard of the
/// optimizer's arrays; 2: of the gradients too; 3: of the parameters too.
int zero_level(const text::Strategy& strategy);

/// The term that says so, or nullptr.
const text::Term* shard_term(const text::Strategy& strategy);

/// Hybrid sharding (Zhao et al. 2023: PyTorch FSDP's hybrid_shard; MiCS: Zhang et al. 2022): the number of dp ranks
/// that keep a whole model's shards, 0 without it. Throws Failure("unsupported") when it does not divide dp.
int shard_group_of(const text::Strategy& strategy);

/// Cuts the plan's arrays into shards: what a rank keeps of each bucket is its chunk. From level 2 on gradients are
/// activations that an op of the local graph reduces and scatters, and at level 3 parameters are activations that an op
/// gathers before their first reader, in forward and again in backward. Needs slots and buckets.
void shard(Plan& plan, int level);

}  // namespace lockstep::plan
