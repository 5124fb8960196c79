#include "results/stats/contrast.h"

#include <gtest/gtest.h>

#include <limits>

#include "results/stats/benjamini_hochberg.h"

namespace lockstep::stats {
namespace {

using Values = std::vector<double>;

// Eight launches a side whose ratios to `center` lie within +-0.3 %.
Values near(double center) {
  Values out;
  for (const double off : {-3, -2, -1, 0, 1, 2, 3, 0}) out.push_back(center * (1 + off / 1000));
  return out;
}

Contrast against_ten(double center, const Margin& margin = {}) {
  std::vector<Contrast> family{contrast(near(center), near(10), false, margin)};
  settle(family);
  return family.front();
}

TEST(Contrast, FourWordsOfTheGate) {
  EXPECT_STREQ(gate_word(against_ten(11.5), Better::lower), "regressed");
  EXPECT_STREQ(gate_word(against_ten(8.5), Better::lower), "improved");
  EXPECT_STREQ(gate_word(against_ten(10.05), Better::lower), "equivalent");
  EXPECT_STREQ(gate_word(against_ten(10.3), Better::lower), "inconclusive");
  EXPECT_STREQ(gate_word(against_ten(11.5), Better::higher), "improved");
  EXPECT_STREQ(gate_word(against_ten(8.5), Better::higher), "regressed");
}

TEST(Contrast, WordsForSpeedAndScaling) {
  EXPECT_STREQ(speed_word(against_ten(11.5)), "faster");
  EXPECT_STREQ(speed_word(against_ten(8.5)), "slower");
  EXPECT_STREQ(speed_word(against_ten(10)), "equal");
  EXPECT_STREQ(speed_word(against_ten(10.3)), "cannot tell");
  EXPECT_STREQ(scaling_word(against_ten(11.5)), "gains");
  EXPECT_STREQ(scaling_word(against_ten(8.5)), "loses");
}

TEST(Contrast, PIsBeyondTheMarginOnTheEstimatesSide) {
  EXPECT_NEAR(against_ten(11.5).p, 1.0 / 12870, 1e-12);  // every launch beyond every shifted one
  EXPECT_NEAR(against_ten(8.5).p, 1.0 / 12870, 1e-12);
  EXPECT_NEAR(against_ten(10).p, 1, 1e-9);
}

TEST(Contrast, FloorWidensTheMargin) {
  const Contrast c = against_ten(11.5, {0.03, 2});  // 15 % of 10 is 1.5 units, below the floor of 2
  EXPECT_NEAR(c.margin, 0.2, 1e-3);
  EXPECT_EQ(c.side, Side::within);
}

TEST(Contrast, SaysHowManyLaunchesWouldDecide) {
  const Contrast c = against_ten(10.2);
  ASSERT_EQ(against_ten(10.25).side, Side::within);
  const Contrast wide =
      contrast(Values{9.8, 10.1, 10.4, 10.9, 10.0, 10.6}, Values{9.9, 10.0, 10.3, 10.2, 9.7, 10.1}, true, {});
  EXPECT_EQ(wide.side, Side::straddles);
  ASSERT_TRUE(wide.launches_needed.has_value());
  EXPECT_GT(*wide.launches_needed, 6);
  EXPECT_FALSE(c.launches_needed.has_value());
}

TEST(Contrast, PairsAreUsedAsPairs) {
  const Values base{10, 11, 12, 13, 14, 15};
  Values slower;
  for (const double value : base) slower.push_back(1.1 * value);
  const Contrast c = contrast(slower, base, true, {});
  EXPECT_EQ(c.side, Side::above);
  EXPECT_EQ(c.p, 1.0 / 64);
}

TEST(Contrast, ManyComparisonsTakeAWordBack) {
  // One of four pairs of 6 moves: q = 4/64 > 0.05.
  const Values base{10, 11, 12, 13, 14, 15};
  Values slower;
  for (const double value : base) slower.push_back(1.1 * value);
  std::vector<Contrast> family{contrast(slower, base, true, {})};
  for (int i = 0; i < 3; ++i) family.push_back(contrast(base, base, true, {}));
  settle(family);
  EXPECT_NEAR(family[0].q, 4.0 / 64, 1e-12);
  EXPECT_EQ(family[0].side, Side::straddles);
  EXPECT_EQ(family[1].side, Side::within);
}

TEST(Contrast, RefusedIsAnErrorNeverAPass) {
  const Contrast c = contrast(Values{1, std::numeric_limits<double>::quiet_NaN()}, Values{1, 2}, false, {});
  EXPECT_STREQ(gate_word(c, Better::lower), "error");
  EXPECT_STREQ(speed_word(c), "error");
}

// The example of Benjamini and Hochberg (1995), section 3.3: at 0.05 the first four are declared.
TEST(BenjaminiHochberg, ItsOwnPaper) {
  const Values p{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0};
  const Values q = benjamini_hochberg(p);
  EXPECT_NEAR(q[0], 0.0015, 1e-12);
  EXPECT_LE(q[3], 0.05);
  EXPECT_GT(q[4], 0.05);
  EXPECT_EQ(q[14], 1);
  const Values reversed(p.rbegin(), p.rend());
  EXPECT_EQ(benjamini_hochberg(reversed)[14], q[0]);
  EXPECT_EQ(benjamini_hochberg(Values{std::numeric_limits<double>::quiet_NaN()})[0], 1);
  EXPECT_TRUE(benjamini_hochberg(Values{}).empty());
}

}  // namespace
}  // namespace lockstep::stats
