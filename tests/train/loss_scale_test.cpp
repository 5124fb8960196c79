#include "reference_trainer/train/loss_scale.h"

#include <gtest/gtest.h>

#include "adapters/contract/failure.h"

namespace lockstep::train {
namespace {

TEST(LossScale, HalvesOnAnOverflowAndDoublesAfterTwoThousandGoodSteps) {
  LossScale scale(text::parse_strategy("dp2/amp:fp16"));
  EXPECT_EQ(scale.value(), 65536);
  scale.note(false);
  EXPECT_EQ(scale.value(), 32768);
  EXPECT_EQ(scale.skipped(), 1);
  for (int i = 0; i < 1999; ++i) scale.note(true);
  EXPECT_EQ(scale.value(), 32768);
  LossScale other(text::parse_strategy("serial/amp:fp16"));
  other.restore(scale.text());
  for (LossScale* each : {&scale, &other}) each->note(true);
  EXPECT_EQ(scale.value(), 65536);
  EXPECT_EQ(other.text(), scale.text());
}

TEST(LossScale, OneThatIsNamedStaysAndOthersScaleNothing) {
  LossScale named(text::parse_strategy("serial/amp:fp16,scale=1024"));
  named.note(false);
  EXPECT_EQ(named.value(), 1024);
  EXPECT_FALSE(named.is_least());
  named.restore("8 0 3");
  EXPECT_EQ(named.value(), 1024);
  EXPECT_EQ(named.skipped(), 3);
  EXPECT_EQ(LossScale(text::parse_strategy("serial/amp:bf16")).value(), 1);
  EXPECT_EQ(LossScale(text::parse_strategy("dp2")).value(), 1);
  EXPECT_THROW(named.restore("much"), Failure);
}

}  // namespace
}  // namespace lockstep::train
