#include "reference_trainer/plan/memory/arena.h"

#include <algorithm>
#include <numeric>

namespace lockstep::plan {
namespace {

constexpr int64_t kAlign = 64;

int64_t aligned(int64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

bool live_together(const Block& a, const Block& b) { return a.first <= b.last && b.first <= a.last; }

}  // namespace

Arena plan_arena(std::span<const Block> blocks) {
  std::vector<size_t> by_size(blocks.size());
  std::iota(by_size.begin(), by_size.end(), size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](size_t a, size_t b) { return blocks[a].bytes > blocks[b].bytes; });

  Arena arena{std::vector<int64_t>(blocks.size(), 0), 0};
  std::vector<size_t> placed;  // in the order of their offsets
  for (size_t block : by_size) {
    int64_t offset = 0;
    for (size_t other : placed) {
      if (!live_together(blocks[block], blocks[other])) continue;
      if (offset + aligned(blocks[block].bytes) <= arena.offsets[other]) break;
      offset = std::max(offset, arena.offsets[other] + aligned(blocks[other].bytes));
    }
    arena.offsets[block] = offset;
    arena.bytes = std::max(arena.bytes, offset + aligned(blocks[block].bytes));
    const auto place = std::upper_bound(placed.begin(), placed.end(), offset,
                                        [&](int64_t value, size_t other) { return value < arena.offsets[other]; });
    placed.insert(place, block);
  }
  return arena;
}

int64_t arena_lower_bound(std::span<const Block> blocks) {
  int64_t most = 0;
  for (const Block& at : blocks) {
    int64_t sum = 0;
    for (const Block& block : blocks) {
      if (block.first <= at.first && at.first <= block.last) sum += aligned(block.bytes);
    }
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace lockstep::plan
