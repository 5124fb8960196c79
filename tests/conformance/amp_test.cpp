// Mixed precision: what rounding to 16 bits does to training, and what it saves.
#include <gtest/gtest.h>

#include "adapters/contract/failure.h"
#include "reference_trainer/plan/peak.h"
#include "tests/conformance/training_run.h"

namespace lockstep::conformance {
namespace {

/// Rounding changes every step, and yet the loss falls as far, to 1 %. Seen: the first loss 2.8e-5 (bf16) and 5e-7
/// (fp16) of itself away, the last one 3e-5 and 9e-6 of the fall.
TEST(MixedPrecision, TrainsAsFarAsWithoutIt) {
  std::string missing;
  const auto setting = setting_of("gpt-austen", {}, missing);
  if (!setting) GTEST_SKIP() << missing;
  const std::string fast(kernels::kernel_set("auto", kernels::Precision::fp32).name);
  const TrainingRun plain = setting->train_on_threads<float>("serial", fast);
  const double fell = plain.losses.front() - plain.losses.back();
  ASSERT_GT(fell, 0.1);
  for (const auto& [format, first, last] : {std::tuple{"bf16", 3e-4, 0.01}, {"fp16", 1e-5, 0.01}}) {
    const TrainingRun run = setting->train_on_threads<float>(std::string("serial/amp:") + format, fast);
    EXPECT_NE(run.losses, plain.losses) << format;  // all of them: rounding may leave one as it was
    EXPECT_NEAR(run.losses.front(), plain.losses.front(), first * plain.losses.front()) << format;
    EXPECT_NEAR(run.losses.back(), plain.losses.back(), last * fell) << format;
  }
}

/// What the gradients are divided by is what the loss was multiplied by: another power of two changes no bit, as long
/// as nothing overflows or vanishes. Without a scale the smallest ones have fewer bits.
TEST(MixedPrecision, AScaledLossGivesTheSameGradients) {
  std::string missing;
  const auto setting = setting_of("mlp-digits", {"steps=10"}, missing);
  if (!setting) GTEST_SKIP() << missing;
  const TrainingRun a = setting->train_on_threads<double>("serial/amp:fp16,scale=256", "naive"),
                    b = setting->train_on_threads<double>("serial/amp:fp16,scale=1024", "naive");
  EXPECT_EQ(a.losses, b.losses);
  EXPECT_EQ(a.gradient_norms, b.gradient_norms);
  const TrainingRun unscaled = setting->train_on_threads<double>("serial/amp:fp16,scale=1", "naive");
  EXPECT_GT(largest_norm_difference(a, unscaled), 0);
  EXPECT_LT(largest_norm_difference(a, unscaled), 1e-4);
}

int64_t activations_of(const Setting& setting, const std::string& strategy) {
  const plan::Plan plan = plan::make_plan(setting.graph(), text::parse_strategy(strategy), {4, true, 0});
  return plan::peak_memory(plan, {setting.workload().recipe.batch, 4, 2, true}).activations;
}

/// A deep and narrow GPT on short sequences, whose activations are what backward reads again: of [batch, seq, hidden]
/// and its multiples everything but statistics, probabilities and what the loss reads takes half.
TEST(MixedPrecision, HalvesMostOfThePlannedActivations) {
  std::string missing;
  const auto setting = setting_of("gpt-austen", {"layers=12", "seq=8", "width=32", "ffn=128"}, missing);
  if (!setting) GTEST_SKIP() << missing;
  const int64_t plain = activations_of(*setting, "serial");
  for (const char* format : {"bf16", "fp16"}) {
    const int64_t mixed = activations_of(*setting, std::string("serial/amp:") + format);
    EXPECT_LT(static_cast<double>(mixed), 0.6 * static_cast<double>(plain)) << format;
    EXPECT_GT(mixed, plain / 2) << format;
  }
  EXPECT_LT(activations_of(*setting, "serial/amp:bf16/recompute:full"),
            activations_of(*setting, "serial/recompute:full"));
}

TEST(MixedPrecision, RefusesWhatDoesNotGoTogether) {
  std::string missing;
  const auto setting = setting_of("mlp-digits", {}, missing);
  if (!setting) GTEST_SKIP() << missing;
  const auto why_not = [&](const char* strategy) -> std::string {
    try {
      plan::make_plan(setting->graph(), text::parse_strategy(strategy));
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.kind(), "unsupported");
      return failure.what();
    }
    return "planned";
  };
  EXPECT_NE(why_not("pp2/amp:fp16/pipedream").find("take amp:bf16, or 1f1b:m=2"), std::string::npos);
  EXPECT_NE(why_not("serial/amp:bf16,scale=8").find("leave scale out, or take amp:fp16"), std::string::npos);
  EXPECT_EQ(why_not("pp2/amp:bf16/pipedream"), "planned");
}

}  // namespace
}  // namespace lockstep::conformance
