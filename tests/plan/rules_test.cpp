// Rules of layouts: their text, tables by name and of one's own, and what they do to a plan.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/contract/failure.h"
#include "reference_trainer/plan/plan.h"
#include "reference_trainer/plan/rules/named_layouts.h"
#include "reference_trainer/plan/rules/rule_text.h"
#include "reference_trainer/plan/terms/table.h"
#include "tests/plan/workload_graph.h"

namespace lockstep::plan {
namespace {

using graph::Dim;
using graph::OpKind;
using testing::HasSubstr;

std::string why_not(const std::string& workload, const std::string& strategy) {
  try {
    make_plan(workload_graph(workload), text::parse_strategy(strategy));
  } catch (const Failure& failure) {
    return failure.kind() + ": " + failure.what();
  }
  return "it was planned";
}

TEST(RuleText, SaysEachPartAndPrintsToItself) {
  const LayoutRule rule = parse_rule("tp.chan_in-in-fits.conv2d.conv%");
  EXPECT_EQ(rule.axis, Axis::tp);
  EXPECT_EQ(rule.loop, Dim::chan_in);
  EXPECT_EQ(rule.where, Where::in);
  EXPECT_TRUE(rule.where_it_fits);
  EXPECT_FALSE(rule.otherwise);
  EXPECT_EQ(rule.kind, OpKind::conv2d);
  EXPECT_EQ(rule.layer, "conv%");
  EXPECT_EQ(parse_rule("dp.batch.any.b0.fc1").layer, "b0.fc1");
  EXPECT_TRUE(parse_rule("dp.batch-else").otherwise);
  EXPECT_TRUE(parse_rule("dp.whole.linear_grad_weight").stays_whole);
  for (const char* text :
       {"tp.heads", "dp.hidden-out.linear", "dp.hidden-out.linear.fc%", "dp.batch.any.b0.fc1",
        "dp.whole.linear_grad_weight", "dp.batch-sync.batch_norm", "tp.chan_in-in-fits-else.conv2d.conv1"}) {
    EXPECT_EQ(print(parse_rule(text)), text);
    EXPECT_EQ(parse_rule(print(parse_rule(text))), parse_rule(text));
  }
}

TEST(RuleText, RefusalsNameTheTextTheRuleAndTheNearest) {
  for (const auto& [text, said] : {
           std::pair{"dq.batch", "\"dq.batch\": expected an axis that splits ops, found \"dq\"; the nearest is \"dp\""},
           std::pair{"pp.batch", "expected an axis that splits ops, found \"pp\""},
           std::pair{"dp.hiden", "\"dp.hiden\": no dim is called \"hiden\"; the nearest is \"hidden\""},
           std::pair{"dp.hidden-uot",
                     "expected plain, out, in, fits, else or sync, found \"uot\"; the nearest is \"out\""},
           std::pair{"dp.hidden.liner", "no op is called \"liner\"; the nearest is \"linear\""},
       }) {
    try {
      parse_rule(text);
      FAIL() << text << " was read";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.kind(), "usage");
      EXPECT_THAT(failure.what(), HasSubstr(said));
    }
  }
}

/// The table of terms lists the names, since it is lower than the rules.
TEST(NamedLayouts, AreThoseOfTheTableOfTermsAndPrintToThemselves) {
  std::string names;
  for (const NamedLayout& layout : named_layouts()) {
    names += (names.empty() ? "" : "|") + std::string(layout.name);
    std::string printed;
    for (const LayoutRule& rule : rules_of_layout({"layout", {{"", std::string(layout.name)}}}))
      printed += (printed.empty() ? "" : ",") + print(rule);
    EXPECT_EQ(printed, layout.rules);
  }
  EXPECT_EQ(names, terms::find("/", "layout")->parameters[0].words);
}

/// A table written out is the same as its name.
TEST(NamedLayouts, WrittenOutAreTheSame) {
  for (const NamedLayout& layout : named_layouts()) {
    const text::Strategy named = text::parse_strategy("dp2.tp2/layout:" + std::string(layout.name)),
                         written = text::parse_strategy("dp2.tp2/layout:" + std::string(layout.rules));
    EXPECT_EQ(rules_of(named), rules_of(written)) << layout.name;
    EXPECT_EQ(text::print(written), "dp2.tp2/layout:" + std::string(layout.rules));
  }
}

/// Axes that a layout does not name keep their own rules.
TEST(NamedLayouts, StandInPlaceOfTheRulesOfTheirAxes) {
  const auto count = [](const char* strategy, Axis axis) {
    return std::ranges::count(rules_of(text::parse_strategy(strategy)), axis, &LayoutRule::axis);
  };
  EXPECT_EQ(count("dp2.tp2", Axis::dp), 1);
  EXPECT_EQ(count("dp2.tp2/layout:vocab", Axis::dp), 1);
  EXPECT_EQ(count("dp2.tp2/layout:vocab", Axis::tp), 1);
  EXPECT_EQ(count("dp2.tp2/layout:sfb", Axis::dp), 2);
  EXPECT_EQ(count("dp2.tp2/layout:sfb", Axis::tp), count("dp2.tp2", Axis::tp));
}

TEST(Layouts, AreRefusedWithNumbersRuleAndRemedy) {
  EXPECT_EQ(
      why_not("cnn-fashion", "tp2/layout:one_weird_trick"),
      "usage: tp2/layout:one_weird_trick: layout:one_weird_trick has the rule dp.hidden-out.linear, but the mesh tp2 "
      "has no axis dp of at least 2 ranks; add dp2 to the mesh, or leave the layout out");
  EXPECT_EQ(why_not("cnn-fashion", "dp2/layout:dp.hiden-out"),
            "usage: layout: rule 1: \"dp.hiden-out\": no dim is called \"hiden\"; the nearest is \"hidden\"");
  EXPECT_THAT(why_not("cnn-fashion", "dp2/layout:mine"), HasSubstr("found mine"));
  EXPECT_THAT(why_not("cnn-fashion", "dp2/layout:mine.json"), HasSubstr("mine.json is a file"));
  EXPECT_THAT(why_not("cnn-fashion", "dp2.tp2/layout:sfb,tp.heads"),
              HasSubstr("sfb is a table of its own, and tp.heads stands beside it"));
  EXPECT_EQ(why_not("cnn-fashion", "dp17/layout:one_weird_trick"),
            "unsupported: fc1.weight: its hidden 16 cannot be split 17 ways (dp17); dp16 is the most, or take a larger "
            "preset");
  EXPECT_EQ(
      why_not("cnn-fashion", "dp2/layout:dp.heads,dp.batch-else"),
      "unsupported: dp2 splits nothing in this workload: none of its ops has a loop that the rules of dp name; leave "
      "the layout out");
  EXPECT_EQ(why_not("cnn-fashion", "dp2/layout:one_weird_trick/zero1"),
            "unsupported: dp2/layout:one_weird_trick/zero1: zero1 shards what is summed over dp, but with "
            "layout:one_weird_trick the gradients of 4 of 8 parameters are whole where they are made; leave zero1 or "
            "layout:one_weird_trick out");
  EXPECT_THAT(why_not("cnn-fashion", "h2.w2/layout:h.height.conv2d,w.height.conv2d"),
              HasSubstr("w2 would split the height of conv2d \"conv1\", which h2 splits already"));
  EXPECT_THAT(why_not("cnn-fashion", "cp2/layout:cp.height.conv2d"), HasSubstr("cp gives each rank two pieces"));
  EXPECT_THAT(why_not("mlp-digits", "tp2/layout:tp.batch"),
              HasSubstr("samples are dealt out over dp and ep alone; leave the rule out, or take dp2"));
  EXPECT_THAT(why_not("gpt-austen", "cp2.tp2/layout:cp.seq,tp.seq.attention"), HasSubstr("which cp2 splits already"));
  EXPECT_THAT(why_not("moe-gpt", "ep2/layout:ep.hidden.combine,ep.batch-else"),
              HasSubstr("its slots count the samples of a rank; add the rule ep.batch.combine"));
  EXPECT_THAT(
      why_not("gpt-austen", "pp2.dp2/layout:sfb/1f1b:m=2"),
      HasSubstr("the parameter embed.table has owners on several of 2 stages, and their gradients lie differently"));
  EXPECT_THAT(why_not("mlp-fashion", "pp3.dp2/layout:sfb/pipedream"),
              HasSubstr("the 2 ranks of dp hear of a loss that is not finite in the exchange of their gradients, "
                        "and under this layout stage 0 has none; take 1f1b:m=3"));
}

/// Sufficient factors need a product of two factors.
TEST(Layouts, SufficientFactorsNeedALinearLayer) {
  const graph::Graph graph = graph::build(
      R"({"inputs": {"x": {"dims": {"chan_in": 2, "height": 4, "width": 4}, "type": "real"}, "label": {"dims": {}, "type": "index"}},
    "graph": [{"op": "conv2d", "name": "conv", "in": "x", "out": {"chan_out": 3}, "kernel": 4},
              {"op": "reshape", "name": "flat", "in": "conv", "out": {"class": 3}},
              {"op": "softmax_cross_entropy", "name": "loss", "in": ["flat", "label"]}]})");
  EXPECT_NO_THROW(make_plan(graph, text::parse_strategy("dp2")));
  try {
    make_plan(graph, text::parse_strategy("dp2/layout:sfb"));
    FAIL() << "it was planned";
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("dp2 splits nothing in this workload"));
  }
}

/// Ranks that exchange samples do so in blocks of equal size; the others' shares stay as they are.
TEST(Layouts, SharesOfRanksThatExchangeSamplesAreFilledUp) {
  const auto bound = [](const char* strategy, int rank) {
    return make_plan(workload_graph("cnn-fashion"), text::parse_strategy(strategy), {4, true, rank}).bound_share(10);
  };
  EXPECT_EQ(bound("dp3", 2), 3);
  EXPECT_EQ(bound("dp3/layout:one_weird_trick", 0), 4);
  EXPECT_EQ(bound("dp3/layout:one_weird_trick", 2), 4);
}

/// Whether a loss is finite is told in the gradients' exchange where there is one that reaches all.
TEST(Layouts, RanksTellApartWhereNoGradientIsExchanged) {
  const auto apart = [](const char* workload, const char* strategy) {
    return make_plan(workload_graph(workload), text::parse_strategy(strategy)).tells_apart();
  };
  EXPECT_FALSE(apart("cnn-fashion", "dp2"));
  EXPECT_FALSE(apart("cnn-fashion", "dp2/layout:one_weird_trick"));
  EXPECT_TRUE(apart("mlp-digits", "dp2/layout:one_weird_trick"));
  EXPECT_TRUE(apart("mlp-digits", "dp2/layout:sfb"));
  EXPECT_TRUE(apart("mlp-digits", "dp2/zero1"));
  EXPECT_FALSE(apart("mlp-digits", "tp2"));
}

}  // namespace
}  // namespace lockstep::plan
