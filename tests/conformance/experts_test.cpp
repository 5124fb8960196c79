// Mixtures of experts: tokens are routed in the workload's own groups, so no layout changes which of them are dropped;
// one that would cut a group is refused with both numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/contract/failure.h"
#include "tests/conformance/training_run.h"
#include "tests/test_name.h"

namespace lockstep::conformance {
namespace {

TEST(Experts, DropTokensAndCountThem) {
  std::string missing;
  const auto setting = setting_of("moe-gpt", {"steps=10"}, missing);
  if (!setting) GTEST_SKIP() << missing;
  const TrainingRun& serial = setting->serial_run();
  EXPECT_GT(serial.dropped, 0) << "nothing is dropped, so equality of layouts would prove little";
  EXPECT_LT(serial.dropped, 10 * 12 * 12 * 2 / 2) << "of 10 steps, 12 samples, 12 tokens and 2 routers: less than half";
}

struct CutGroup {
  const char* strategy;
  std::vector<std::string> arguments;
  const char* text;  ///< part of the refusal
};

void PrintTo(const CutGroup& row, std::ostream* out) { *out << row.strategy; }

const CutGroup kCutGroups[] = {
    {"dp2",
     {"group=24"},
     "dp2 would split the batch of route \"m0.route\" over 2 ranks, but that op needs it whole: "
     "its routing_group is 24 tokens"},
    {"serial/accum:m=3",
     {"group=36"},
     "3 microbatches of route \"m0.route\": it takes samples together: its "
     "routing_group is 36 tokens"},
    {"pp2/1f1b:m=2", {"group=24"}, "2 microbatches of route"},
};

class RoutingGroups : public testing::TestWithParam<CutGroup> {};

TEST_P(RoutingGroups, AreNotCut) {
  std::string missing;
  const auto setting = setting_of("moe-gpt", GetParam().arguments, missing);
  if (!setting) GTEST_SKIP() << missing;
  try {
    plan::make_plan(setting->graph(), text::parse_strategy(GetParam().strategy));
    FAIL() << "planned";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.kind(), "unsupported");
    EXPECT_THAT(failure.what(), testing::HasSubstr(GetParam().text));
  }
}

INSTANTIATE_TEST_SUITE_P(All, RoutingGroups, testing::ValuesIn(kCutGroups),
                         [](const auto& info) { return test_name({info.param.strategy}); });

}  // namespace
}  // namespace lockstep::conformance
