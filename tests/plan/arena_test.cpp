#include "reference_trainer/plan/memory/arena.h"

#include <gtest/gtest.h>

#include <random>

namespace lockstep::plan {
namespace {

void expect_sound(const std::vector<Block>& blocks, const Arena& arena) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(arena.offsets[i] % 64, 0);
    EXPECT_LE(arena.offsets[i] + blocks[i].bytes, arena.bytes);
    for (size_t j = 0; j < i; ++j) {
      const bool together = blocks[i].first <= blocks[j].last && blocks[j].first <= blocks[i].last;
      const bool apart = arena.offsets[i] + blocks[i].bytes <= arena.offsets[j] ||
                         arena.offsets[j] + blocks[j].bytes <= arena.offsets[i];
      EXPECT_TRUE(!together || apart) << "blocks " << j << " and " << i;
    }
  }
}

TEST(Arena, ReusesMemoryOfWhatIsDead) {
  const std::vector<Block> chain = {{640, 0, 1}, {640, 1, 2}, {640, 2, 3}, {640, 3, 4}};
  const Arena arena = plan_arena(chain);
  EXPECT_EQ(arena.bytes, 1280);
  expect_sound(chain, arena);
}

TEST(Arena, IsEmptyForNothing) { EXPECT_EQ(plan_arena({}).bytes, 0); }

TEST(Arena, NeverOverlapsLiveBlocksAndStaysNearTheBound) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Block> blocks;
    for (int i = 0; i < 40; ++i) {
      const auto first = static_cast<int32_t>(random() % 60);
      blocks.push_back({static_cast<int64_t>(1 + random() % 5000), first, first + static_cast<int32_t>(random() % 15)});
    }
    const Arena arena = plan_arena(blocks);
    expect_sound(blocks, arena);
    EXPECT_GE(arena.bytes, arena_lower_bound(blocks));
    EXPECT_LE(arena.bytes, 2 * arena_lower_bound(blocks));
  }
}

}  // namespace
}  // namespace lockstep::plan
