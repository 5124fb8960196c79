#include "harness/run/carry.h"

#include <gmock/gmock.h>

namespace lockstep::run {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<suite::PlannedCell> cells() {
  std::vector<suite::PlannedCell> out;
  for (const char* system : {"reference", "pytorch"}) {
    for (const char* strategy : {"serial", "dp2"}) {
      suite::PlannedCell cell;
      cell.workload = "w:tiny", cell.system = system, cell.strategy = strategy;
      cell.text = cell.workload + " " + cell.system + " " + cell.strategy;
      out.push_back(cell);
    }
  }
  return out;
}

TEST(Carry, SaysBeforeASuiteStartsWhatItsLaunchesCanShow) {
  const Carry six = carry_of(cells(), 6);
  EXPECT_EQ(six.comparisons, 3);  // serial against serial, dp2 against serial of each
  EXPECT_EQ(six.least_p, 1.0 / 64);
  EXPECT_EQ(six.least_movers, 1);
  EXPECT_THAT(carry_text(six),
              AllOf(HasSubstr("96.9 % intervals"), HasSubstr("each difference can be declared alone")));
  const Carry four = carry_of(cells(), 4);
  EXPECT_FALSE(four.least_movers.has_value());
  EXPECT_THAT(carry_text(four), AllOf(HasSubstr("no difference can be declared"), HasSubstr("-n 6")));
  EXPECT_THAT(carry_text(carry_of(cells(), 1)), HasSubstr("no interval"));
}

}  // namespace
}  // namespace lockstep::run
