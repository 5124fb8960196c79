// Tables of layout rules at random: whatever a person writes after "/layout:", the model trains as one rank does, or is
// refused before it starts. LOCKSTEP_RANDOM_TABLES sets how many tables a workload gets.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>

#include "adapters/contract/failure.h"
#include "reference_trainer/graph/loops.h"
#include "reference_trainer/plan/plan.h"
#include "reference_trainer/plan/rules/rule_text.h"
#include "reference_trainer/plan/terms/check.h"
#include "tests/conformance/training_run.h"
#include "tests/test_name.h"

namespace lockstep::conformance {
namespace {

using plan::Axis;
using plan::LayoutRule;

/// A workload small enough that a table costs milliseconds. `bound`: rounding grows through batch norm.
struct RandomRow {
  const char* workload;
  std::vector<std::string> arguments;
  double bound = kBound;
};

const RandomRow kRandomRows[] = {
    {"mlp-digits", {"steps=2", "batch=5", "warmup_steps=1"}},
    {"cnn-fashion", {"steps=2", "batch=5", "warmup_steps=1"}},
    {"gpt-austen", {"steps=2", "batch=5", "warmup_steps=1"}},
    {"lstm-austen", {"steps=2", "batch=5", "warmup_steps=1"}},
    {"moe-gpt", {"steps=2", "batch=5", "choices=2", "warmup_steps=1"}},
    {"dlrm", {"steps=2", "batch=5"}},
    {"resnet20", {"steps=2", "batch=8", "warmup_steps=1"}, 1e-8},
    {"alexnet", {"steps=2", "batch=5", "warmup_steps=1"}},
};

class RandomTables {
 public:
  explicit RandomTables(const graph::Graph& graph) : graph_(graph) {}

  /// "dp2.h2/layout:h.height.conv2d.conv1,dp.batch-else": one or two axes, one to three rules of each.
  std::string next() {
    constexpr std::array kAxes = {Axis::dp, Axis::ep, Axis::cp, Axis::h, Axis::w, Axis::tp};
    std::vector<std::string> mesh, rules;
    for (size_t i = 0, last = kAxes.size() - 1, axes = 1 + below(2); axes > 0 && i <= last; ++i) {
      const size_t left = last - i + 1;
      if (below(left) >= axes) continue;
      --axes;
      mesh.push_back(fmt::format("{}{}", text::name(kAxes[i]), axes == 0 && below(4) == 0 ? 3 : 2));
      for (size_t n = 1 + below(3); n > 0; --n) rules.push_back(print(rule_of(kAxes[i])));
      if (plan::deals_samples(kAxes[i]) && below(4) > 0)
        rules.push_back(fmt::format("{}.batch-else", text::name(kAxes[i])));
    }
    return fmt::format("{}/layout:{}", fmt::join(mesh, "."), fmt::join(rules, ","));
  }

 private:
  size_t below(size_t count) { return random_() % count; }

  /// A rule that finds its op: one of the graph's, and one of its loops.
  LayoutRule rule_of(Axis axis) {
    const graph::Op& op = graph_.ops[below(graph_.ops.size())];
    const graph::OpLoops nest = graph::loops_of(graph_, op);
    LayoutRule rule;
    rule.axis = axis;
    if (below(3) > 0) rule.kind = op.kind;
    if (rule.kind != graph::OpKind::none && below(2) == 0) rule.layer = op.name;
    if (nest.loops.empty() || below(8) == 0) {
      rule.stays_whole = true;
      return rule;
    }
    const graph::Loop& loop = nest.loops[below(nest.loops.size())];
    rule.loop = loop.dim;
    if (below(2) == 0) rule.where = std::array{plan::Where::plain, plan::Where::out, plan::Where::in}[loop.place];
    rule.where_it_fits = below(2) == 0;
    rule.otherwise = below(4) == 0;
    rule.synchronizes = below(6) == 0;
    return rule;
  }

  const graph::Graph& graph_;
  std::mt19937 random_{7};
};

class RandomLayouts : public testing::TestWithParam<RandomRow> {};

TEST_P(RandomLayouts, EqualSerialOrAreRefused) {
  std::string missing;
  const auto setting = setting_of(GetParam().workload, GetParam().arguments, missing);
  if (!setting) GTEST_SKIP() << missing;
  const graph::Graph graph = setting->graph();
  RandomTables tables(graph);
  const char* wanted = std::getenv("LOCKSTEP_RANDOM_TABLES");
  int trained = 0;
  for (int left = wanted ? std::atoi(wanted) : 40; left > 0; --left) {
    // Every third with 16-bit numbers, but where rounding of fp64 grows: of two numbers as near as that to a middle one
    // may be rounded up and the other down.
    const bool rounds = left % 3 == 0 && GetParam().bound == kBound;
    const std::string strategy = tables.next() + (rounds ? "/amp:bf16" : "");
    SCOPED_TRACE(strategy);
    try {
      const text::Strategy parsed = text::parse_strategy(strategy);
      if (!terms::check(parsed).empty()) continue;
      plan::make_plan(graph, parsed);
    } catch (const Failure& failure) {
      EXPECT_TRUE(failure.kind() == "unsupported" || failure.kind() == "usage") << failure.what();
      continue;
    }
    const TrainingRun& serial = setting->serial_run(strategy);
    const TrainingRun run = setting->train_on_threads<double>(strategy, "naive");
    ++trained;
    EXPECT_LT(largest_loss_difference(serial, run), GetParam().bound);
    EXPECT_LT(largest_norm_difference(serial, run), GetParam().bound);
    const auto& workload = setting->workload();
    EXPECT_LT(largest_difference(serial, run, workload.recipe.lr * static_cast<double>(workload.steps)),
              GetParam().bound);
  }
  EXPECT_GT(trained, 0);
  RecordProperty("trained", trained);
}

INSTANTIATE_TEST_SUITE_P(All, RandomLayouts, testing::ValuesIn(kRandomRows),
                         [](const auto& info) { return test_name({info.param.workload}); });

}  // namespace
}  // namespace lockstep::conformance
