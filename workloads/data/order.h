#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "workloads/data/workload.h"

namespace lockstep::workloads {

/// The samples of each step: step s takes indices[offsets[s] : offsets[s + 1]], and data rank d of D every D-th of them
/// from the d-th. It never depends on ranks.
struct Order {
  std::vector<int64_t> indices;  // sample ids
  std::vector<int64_t> offsets;  // steps + 1
};

/// Each epoch is a permutation of the samples (Fisher-Yates on Philox draws keyed by seed and epoch), cut into global
/// batches; the last batch of an epoch holds what is left.
Order make_order(int64_t samples, int64_t batch, int64_t steps, uint64_t seed);

/// The order as a safetensors file ("indices", "offsets": I64) in `shared`, named by what it depends on; written once
/// and reused. `data_ranks` scales the batch under weak scaling only.
std::filesystem::path write_order(const Workload& workload, const std::filesystem::path& shared,
                                  int64_t data_ranks = 1);

}  // namespace lockstep::workloads
