#include "reference_trainer/train/mapped_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "adapters/contract/failure.h"
#include "adapters/contract/memory.h"
#include "reference_trainer/train/model_state.h"
#include "reference_trainer/train/optimizer.h"
#include "tests/conformance/training_run.h"

namespace lockstep::train {
namespace {

constexpr size_t kBytes = size_t{64} << 20;

TEST(MappedMemory, IsZeroAndKeepsWhatWasWrittenWhenItIsReleased) {
  const MappedMemory memory(kBytes, conformance::shared_folder());
  const auto values = memory.as<double>();
  EXPECT_TRUE(std::ranges::all_of(values, [](double value) { return value == 0; }));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  memory.release(4096 + 8, kBytes / 2);
  memory.release(0, kBytes);
  for (size_t i = 0; i < values.size(); i += 1000) ASSERT_EQ(values[i], static_cast<double>(i));
}

TEST(MappedMemory, LeavesTheProcessWhenItIsReleased) {
  const MappedMemory memory(kBytes, conformance::shared_folder());
  std::ranges::fill(memory.as<float>(), 1.0F);
  const auto full = contract::process_memory();
  if (!full) GTEST_SKIP() << "/proc does not tell the memory of a process";
  memory.release(0, kBytes);
  const int64_t left = full->rss - contract::process_memory()->rss;
  EXPECT_GT(left, static_cast<int64_t>(kBytes) * 9 / 10);
}

TEST(MappedMemory, SaysWhereItCouldNotMakeItsFile) {
  try {
    MappedMemory(4096, "/nowhere/at/all");
    ADD_FAILURE() << "it was made";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.kind(), "setup");
    EXPECT_THAT(failure.what(), testing::HasSubstr("/nowhere/at/all: a file of 4096 bytes"));
  }
}

/// Several windows, and a last one that is shorter: the bits of arrays in memory.
TEST(MappedMemory, UpdatesOfOffloadedArraysHaveTheBitsOfOthers) {
  const conformance::Setting setting("mlp-digits", "micro", {"data=synthetic", "width=9000", "width2=61"});
  workloads::Recipe recipe = setting.workload().recipe;
  recipe.optimizer = workloads::Optimizer::adamw;
  const plan::Plan kept = plan::make_plan(setting.graph(), text::parse_strategy("serial"), {4, true, 0}),
                   off = plan::make_plan(setting.graph(), text::parse_strategy("serial/offload:disk"), {4, true, 0});
  ASSERT_GT(kept.optimizer.count(), 4 * plan::kOffloadWindow);
  ModelState<float> a(kept, 2), b(off, 2, conformance::shared_folder());
  for (ModelState<float>* state : {&a, &b}) {
    for (size_t i = 0; i < state->parameters().size(); ++i) state->parameters()[i] = static_cast<float>(i % 97) / 97;
    for (int64_t step = 0; step < 3; ++step) {
      for (size_t i = 0; i < state->gradients().size(); ++i)
        state->gradients()[i] = static_cast<float>(i % 89) / 89 - 0.4F;
      update(optimizer(recipe.optimizer), *state, recipe, {step, 0.01, 1}, [] { return TensorSums(); });
    }
  }
  EXPECT_TRUE(std::ranges::equal(a.parameters(), b.parameters()));
  EXPECT_TRUE(std::ranges::equal(a.optimizer_array(1), b.optimizer_array(1)));
  EXPECT_EQ(b.bytes_of_optimizer(), 2 * 4 * plan::kOffloadWindow);
  EXPECT_EQ(b.bytes_of_offloaded(), a.bytes_of_optimizer());
}

}  // namespace
}  // namespace lockstep::train
