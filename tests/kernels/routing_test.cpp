// Places and dropped choices, worked out by hand.
#include "reference_trainer/kernels/routing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::kernels {
namespace {

using ::testing::ElementsAre;

/// The logits of tokens whose likeliest expert is the first number of a pair, and whose second is the other.
std::vector<double> logits_of(const std::vector<std::pair<int, int>>& wishes, int experts) {
  std::vector<double> logits(wishes.size() * static_cast<size_t>(experts), 0);
  for (size_t t = 0; t < wishes.size(); ++t) {
    logits[t * static_cast<size_t>(experts) + static_cast<size_t>(wishes[t].second)] = 1;
    logits[t * static_cast<size_t>(experts) + static_cast<size_t>(wishes[t].first)] = 2;
  }
  return logits;
}

struct Routed {
  std::vector<int32_t> slots;
  std::vector<double> gates, probs;
  int64_t dropped = 0;
};

Routed route_all(const Routing& z, const std::vector<double>& logits, int64_t padding = 0) {
  const auto tokens = static_cast<size_t>(z.samples * z.seq);
  Routed out{std::vector<int32_t>(tokens * static_cast<size_t>(z.choices)),
             std::vector<double>(tokens * static_cast<size_t>(z.choices)), std::vector<double>(logits.size())};
  for (int64_t g = 0; g < z.groups(); ++g)
    out.dropped += route_group(z, g, logits.data(), out.gates.data(), out.slots.data(), out.probs.data(),
                               (z.samples - padding) * z.seq - z.begin_of(g));
  return out;
}

TEST(Routing, ThirdTokenOfAnExpertWithTwoPlacesIsDropped) {
  const Routing z{.samples = 2, .seq = 4, .experts = 3, .choices = 1, .group = 4, .capacity = 2};
  const auto logits = logits_of({{1, 0}, {1, 0}, {1, 0}, {2, 0}, {0, 1}, {2, 1}, {2, 1}, {2, 1}}, 3);
  const Routed routed = route_all(z, logits);
  // Sample 1's places begin at 3 experts x 2 places.
  EXPECT_THAT(routed.slots, ElementsAre(2, 3, -1, 4, 6, 10, 11, -1));
  EXPECT_EQ(routed.dropped, 2);
  EXPECT_NEAR(routed.gates[0], std::exp(2) / (std::exp(2) + std::exp(1) + 1), 1e-12);
  EXPECT_EQ(route_all(z, logits, 1).dropped, 1) << "a sample of padding drops nothing";
}

TEST(Routing, FirstChoicesTakePlacesBeforeSecondOnes) {
  const Routing z{.samples = 1, .seq = 3, .experts = 2, .choices = 2, .group = 3, .capacity = 2};
  const Routed routed = route_all(z, logits_of({{0, 1}, {1, 0}, {0, 1}}, 2));
  // Expert 0: tokens 0 and 2, full; expert 1: token 1, then the second choice of token 0.
  EXPECT_THAT(routed.slots, ElementsAre(0, 3, 2, -1, 1, -1));
  EXPECT_EQ(routed.dropped, 2);
  EXPECT_NEAR(routed.gates[0] + routed.gates[1], 1, 1e-12);
}

TEST(Routing, SamplesOfAGroupPoolTheirPlaces) {
  const Routing z{.samples = 3, .seq = 2, .experts = 2, .choices = 1, .group = 4, .capacity = 1};
  const Routed routed = route_all(z, logits_of({{0, 1}, {0, 1}, {1, 0}, {0, 1}, {1, 0}, {1, 0}}, 2));
  // Two samples have two places at each expert, one in either sample; the last group is one sample.
  EXPECT_THAT(routed.slots, ElementsAre(0, 2, 1, -1, 5, -1));
  EXPECT_EQ(routed.dropped, 2);
}

TEST(Routing, PartsOfASequenceHavePlacesOfTheirOwn) {
  const Routing z{.samples = 1, .seq = 4, .experts = 2, .choices = 1, .group = 2, .capacity = 2};
  EXPECT_THAT(route_all(z, logits_of({{0, 1}, {0, 1}, {0, 1}, {1, 0}}, 2)).slots, ElementsAre(0, -1, 1, 3));
}

/// weight E sum f P (Fedus et al. 2021): all tokens at one of two experts, which each gives 3/4.
TEST(LoadBalance, IsLeastWhereExpertsAreEquallyBusy) {
  const Routing z{.samples = 1, .seq = 2, .experts = 2, .choices = 1, .group = 2, .capacity = 1};
  const double uneven[] = {0.75, 0.25, 0.75, 0.25}, even[] = {0.75, 0.25, 0.25, 0.75};
  double penalty = 0;
  load_balance(z, 0.5, uneven, &penalty);
  EXPECT_DOUBLE_EQ(penalty, 0.5 * 2 * 0.75);
  load_balance(z, 0.5, even, &penalty);
  EXPECT_DOUBLE_EQ(penalty, 0.5 * 2 * (0.5 * 0.5 + 0.5 * 0.5));
}

}  // namespace
}  // namespace lockstep::kernels
