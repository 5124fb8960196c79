// The micro presets of the workloads with a published size: they train, the fast kernels follow the oracle, and ranks
// change nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "adapters/contract/failure.h"
#include "reference_trainer/kernels/executable.h"
#include "tests/conformance/training_run.h"
#include "tests/test_name.h"

namespace lockstep::conformance {
namespace {

struct Catalogued {
  const char* workload;
  std::vector<const char*> strategies;  ///< that equal serial
  const char* refused = nullptr;        ///< one that is typed unsupported
};

void PrintTo(const Catalogued& row, std::ostream* out) { *out << row.workload; }

const Catalogued kCatalogue[] = {
    {"vgg16", {"dp3", "tp2", "pp2/1f1b:m=3", "h2", "h2.w2"}, "cp2"},
    {"resnet20", {"tp2", "serial/recompute:full", "dp2/sync_bn", "h2"}, "dp2"},
    {"resnet50", {"tp2", "dp2/sync_bn", "h2/sync_bn", "w2"}, "pp2/chimera:m=2"},
    {"alexnet", {"dp2", "tp2", "pp2/gpipe:m=2", "dp3/layout:one_weird_trick", "h2"}, "cp2"},
    {"gpt2", {"dp2", "tp3", "cp2"}},
    {"bert", {"dp2", "tp2", "cp2", "dp2.tp2/sp", "pp2/1f1b:m=3", "tp3"}},
    {"dlrm", {"dp2", "ep2", "tp2", "pp2/1f1b:m=3", "dp2/zero3"}, "cp2"},
    {"moe-gpt",
     {"dp2", "tp2", "cp2", "pp2/1f1b:m=3", "pp4/zb_h1:m=4", "dp2/zero3", "serial/recompute:full", "dp2.tp2/sp"}},
    {"vit", {"dp2", "tp3", "cp2", "pp2/1f1b:m=3", "dp2/zero3", "serial/recompute:full"}},
};

std::string row_name(const testing::TestParamInfo<Catalogued>& info) { return test_name({info.param.workload}); }

class PublishedWorkload : public testing::TestWithParam<Catalogued> {
 protected:
  void SetUp() override { short_ = setting_of(GetParam().workload, {"steps=12", "warmup_steps=4"}, missing_); }

  std::unique_ptr<Setting> short_;
  std::string missing_;
};

double mean(const std::vector<double>& losses, size_t begin, size_t end) {
  return std::accumulate(losses.begin() + static_cast<std::ptrdiff_t>(begin),
                         losses.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
         static_cast<double>(end - begin);
}

TEST_P(PublishedWorkload, Learns) {
  const auto setting = setting_of(GetParam().workload, {}, missing_);
  if (!setting) GTEST_SKIP() << missing_;
  const std::string fast(kernels::kernel_set("auto", kernels::Precision::fp32).name);
  const std::vector<double> losses = setting->train_on_threads<float>("serial", fast).losses;
  ASSERT_EQ(losses.size(), 100u);
  EXPECT_LT(mean(losses, 80, 100), 0.97 * mean(losses, 0, 10));
}

TEST_P(PublishedWorkload, FastKernelsFollowTheOracle) {
  if (!short_) GTEST_SKIP() << missing_;
  const std::string fast(kernels::kernel_set("auto", kernels::Precision::fp32).name);
  const std::vector<double> expected = short_->serial_run().losses,
                            losses = short_->train_on_threads<float>("serial", fast).losses;
  for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(losses[i], expected[i], 1e-3 * expected[i]) << "step " << i;
}

TEST_P(PublishedWorkload, RanksEqualSerialInFp64) {
  if (!short_) GTEST_SKIP() << missing_;
  const TrainingRun& serial = short_->serial_run();
  for (const char* strategy : GetParam().strategies) {
    SCOPED_TRACE(strategy);
    const TrainingRun run = short_->train_on_threads<double>(strategy, "naive");
    ASSERT_EQ(run.parameters.size(), serial.parameters.size());
    EXPECT_LT(largest_loss_difference(serial, run), kBound);
    EXPECT_LT(largest_norm_difference(serial, run), kBound);
    EXPECT_LT(largest_difference(serial, run, short_->workload().recipe.lr * 12), kBound);
  }
}

TEST_P(PublishedWorkload, RefusesWhatItsOpsCannot) {
  if (!short_) GTEST_SKIP() << missing_;
  if (GetParam().refused == nullptr) return;
  try {
    short_->train_on_threads<double>(GetParam().refused, "naive");
    FAIL() << GetParam().refused << " ran";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.kind(), "unsupported") << failure.what();
  }
}

INSTANTIATE_TEST_SUITE_P(All, PublishedWorkload, testing::ValuesIn(kCatalogue), row_name);

}  // namespace
}  // namespace lockstep::conformance
