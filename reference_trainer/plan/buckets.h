#pragma once

#include <span>
#include <vector>

#include "reference_trainer/plan/plan.h"

namespace lockstep::plan {

/// Lays out parameters and gradients in the flat arrays: those that are summed over the same axes together, stage by
/// stage, each in the order in which backward makes the gradients, each tensor at a multiple of 16 elements. Padding
/// stays zero.
std::vector<Slot> lay_out(const std::vector<Stage>& stages);

/// Elements of the flat arrays: up to the end of the last slot, and the control slot.
int64_t flat_count(std::span<const Slot> slots);

/// Cuts the flat gradient into buckets of at least `bucket_bytes` (the last one of an array, or of those summed over
/// the same axes, may be smaller), in the order in which they are ready. Gradients that one op makes stay together.
/// What is summed over no axis is in no bucket; the control slot is in the one that reaches the end.
std::vector<Bucket> cut_buckets(std::span<const Slot> slots, int64_t bucket_bytes, int64_t real_bytes);

/// Buckets for sharded gradients (zero2 on): as cut_buckets, but a parameter that several stages hold is alone in one
/// that ends where it does. So its shards are the same pieces of it with every owner, wherever it lies there. Control
/// values have messages of their own there.
std::vector<Bucket> cut_for_shards(const Plan& plan, int64_t bucket_bytes, int64_t real_bytes);

/// The same with one bucket a layer: parameters whose names begin alike up to the first dot ("b0.qkv.weight": b0).
std::vector<Bucket> cut_by_layer(const Plan& plan);

}  // namespace lockstep::plan
