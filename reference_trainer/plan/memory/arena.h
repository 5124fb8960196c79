#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::plan {

/// A block of memory that is needed while ops [first, last] run.
struct Block {
  int64_t bytes = 0;
  int32_t first = 0, last = 0;
};

/// Offsets of blocks in one piece of memory: blocks that are needed at the same time do not overlap.
struct Arena {
  std::vector<int64_t> offsets;  ///< of each block; a multiple of 64
  int64_t bytes = 0;             ///< of the whole arena: the peak, known before anything runs
};

/// Places the largest blocks first, each at the lowest offset that is free during its whole life (greedy by size:
/// Pisarchyk and Lee 2020).
Arena plan_arena(std::span<const Block> blocks);

/// The least possible: the largest sum of bytes needed at one op.
int64_t arena_lower_bound(std::span<const Block> blocks);

}  // namespace lockstep::plan
