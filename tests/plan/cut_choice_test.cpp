#include "reference_trainer/plan/cut_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/contract/failure.h"
#include "reference_trainer/graph/gradients.h"
#include "reference_trainer/plan/describe.h"
#include "reference_trainer/plan/stages/cut.h"
#include "tests/plan/workload_graph.h"

namespace lockstep::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Work kCutWork{8, 4, 2, false};

/// The strategy with its cut, or "KIND: why not".
std::string chosen_cut(const std::string& strategy, const char* workload, const MeasuredCosts* costs = nullptr) {
  try {
    return text::print(with_chosen_cut(workload_graph(workload), text::parse_strategy(strategy), kCutWork, costs));
  } catch (const Failure& failure) {
    return failure.kind() + ": " + failure.what();
  }
}

/// What a plan says, or why there is none.
std::string refusal_of_cut(const std::string& strategy, const char* workload) {
  try {
    make_plan(workload_graph(workload), text::parse_strategy(strategy));
  } catch (const Failure& failure) {
    return failure.kind() + ": " + failure.what();
  }
  return "planned";
}

std::vector<std::string> stage_contents(const std::string& strategy, const char* workload) {
  std::vector<std::string> all;
  for (const PlaceView& place : describe(workload_graph(workload), text::parse_strategy(strategy), kCutWork).places)
    all.push_back(place.contents);
  return all;
}

/// All ops cost the same but one.
MeasuredCosts costs_with(const char* workload, const std::string& slow, double cost) {
  const graph::Graph graph = workload_graph(workload);
  MeasuredCosts costs;
  for (const graph::Op& op : graph.ops) costs.of_op[op.name] = 1;
  costs.of_op[slow] = cost;
  costs.of_byte = 0;
  return costs;
}

TEST(CutChoice, StagesBeginAtTheOpsThatAreNamed) {
  EXPECT_THAT(stage_contents("pp3/stages:b0.ln2,ln/1f1b:m=2", "gpt-austen"),
              ElementsAre("embed (tied), pos, part of layer 0", "part of layer 0, layer 1", "ln, head (tied)"));
}

TEST(CutChoice, NamesThatMakeNoCutAreRefusedWithTheNearest) {
  EXPECT_THAT(refusal_of_cut("pp2/stages:conv3/1f1b:m=2", "cnn-fashion"),
              ::testing::AllOf(HasSubstr("usage: "), HasSubstr("no forward op of this workload is named conv3; the "
                                                               "nearest is conv")));
  EXPECT_THAT(refusal_of_cut("pp2/stages:b1.res1/1f1b:m=2", "gpt-austen"), HasSubstr("planned"));
  EXPECT_THAT(refusal_of_cut("pp2/stages:embed/1f1b:m=2", "gpt-austen"), HasSubstr("before embed no cut is legal"));
  EXPECT_THAT(refusal_of_cut("pp2/stages:ln,b1.ln1/1f1b:m=2", "gpt-austen"),
              HasSubstr("2 ops to cut before make 3 stages, 1f1b of 2 ranks has 2; name 1"));
  EXPECT_THAT(refusal_of_cut("pp3/stages:ln,b1.ln1/1f1b:m=2", "gpt-austen"),
              HasSubstr("b1.ln1 stands before the op named"));
  EXPECT_THAT(refusal_of_cut("pp2/stages:mine.json/1f1b:m=2", "gpt-austen"),
              HasSubstr("`lockstep plan`, `lockstep run`"));
  EXPECT_THAT(refusal_of_cut("pp2/stages:balanced,fit=1MiB/1f1b:m=2", "gpt-austen"),
              HasSubstr("fit chooses among cuts"));
}

/// The slow op is alone as far as cuts can part it, wherever it stands.
TEST(CutChoice, GoesByMeasuredCosts) {
  const MeasuredCosts first = costs_with("gpt-austen", "b0.qkv", 1000), last = costs_with("gpt-austen", "head", 1000);
  EXPECT_EQ(chosen_cut("pp3/stages:costs.json/1f1b:m=2", "gpt-austen", &first), "pp3/stages:b0.qkv,b0.att/1f1b:m=2");
  EXPECT_THAT(chosen_cut("pp2/stages:costs.json/1f1b:m=2", "gpt-austen", &last), "pp2/stages:head/1f1b:m=2");
  EXPECT_EQ(chosen_cut("pp2/stages:equal/1f1b:m=2", "gpt-austen"), "pp2/stages:equal/1f1b:m=2") << "as it is";
}

TEST(CutChoice, CostsOfAnotherGraphAreRefused) {
  MeasuredCosts costs = costs_with("gpt-austen", "head", 2);
  costs.of_op["b7.qkv"] = 1;
  EXPECT_THAT(chosen_cut("pp2/stages:costs.json/1f1b:m=2", "gpt-austen", &costs),
              HasSubstr("it has costs of b7.qkv, and this workload no such op; the nearest is b"));
  costs.of_op.erase("b7.qkv");
  costs.of_op.erase("head");
  EXPECT_THAT(chosen_cut("pp2/stages:costs.json/1f1b:m=2", "gpt-austen", &costs), HasSubstr("it has no costs of head"));
}

/// Backward ops and sums of gradients count for the forward op that they belong to.
TEST(CutChoice, CostsOfForwardOpsHoldAllThatRan) {
  const graph::Graph forward = workload_graph("gpt-austen"), whole = graph::differentiate(forward);
  std::map<std::string, double> ran;
  for (const graph::Op& op : whole.ops) ran[op.name] = 1;
  const std::map<std::string, double> costs = costs_by_forward_op(forward, ran);
  EXPECT_EQ(costs.size(), forward.ops.size());
  double sum = 0;
  for (const auto& [name, cost] : costs) sum += cost;
  EXPECT_EQ(sum, static_cast<double>(whole.ops.size()));
  EXPECT_EQ(costs.at("b0.qkv"), 3) << "forward and two gradients";
}

int64_t peak_with(const std::string& strategy, const char* workload) {
  return describe(workload_graph(workload), text::parse_strategy(strategy), kCutWork).peak_bytes();
}

/// With room for the fastest cut that is taken; with less, one whose planned peak keeps the limit on every rank.
TEST(CutChoice, KeepsALimitOfMemory) {
  int smaller = 0;  // where the fastest cut is not the smallest
  for (const char* rest : {"/1f1b:m=4", "/gpipe:m=4", "/1f1b:m=4/recompute:full", "/interleaved:m=4,v=2"}) {
    const std::string free = "pp2" + std::string(rest);
    const int64_t peak = peak_with(free, "gpt-austen");
    const auto within = [&](int64_t bytes) {
      return chosen_cut("pp2/stages:balanced,fit=" + std::to_string(bytes) + "B" + rest, "gpt-austen");
    };
    EXPECT_EQ(stage_contents(within(peak), "gpt-austen"), stage_contents(free, "gpt-austen")) << rest;
    const std::string none = within(1000);
    ASSERT_THAT(none, HasSubstr("unsupported: ")) << rest;
    const std::string said = "the least planned peak is fit=";
    const int64_t least = std::stoll(none.substr(none.find(said) + said.size()));
    ASSERT_THAT(none, HasSubstr(std::to_string(least) + "B,")) << rest;
    EXPECT_EQ(peak_with(within(least), "gpt-austen"), least) << rest;
    EXPECT_THAT(within(least - 1), HasSubstr("unsupported: ")) << rest;
    EXPECT_LE(least, peak) << rest;
    smaller += least < peak;
  }
  EXPECT_GT(smaller, 0);
  EXPECT_THAT(chosen_cut("pp2/stages:equal,fit=1MiB/1f1b:m=2", "gpt-austen"),
              HasSubstr("leave it out, or write balanced"));
}

}  // namespace
}  // namespace lockstep::plan
