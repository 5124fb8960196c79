// Every fast kernel set against the oracle in fp64, op by op and in chains, with one and two threads.
#include <gtest/gtest.h>

#include <cmath>

#include "adapters/contract/failure.h"
#include "tests/kernels/model_cases.h"
#include "tests/kernels/op_cases.h"
#include "tests/kernels/run_graph.h"

namespace lockstep::kernels::testing {
namespace {

Values run(const CaseGraph& c, const KernelSet& set, const CompileOptions& options, const StepContext& context) {
  Runner runner(c, set, options);
  runner.set(random_values(c, options.batch, 3));
  runner.run(context);
  return runner.get();
}

/// Compares a set with the oracle; state that a run changes is reset for each.
void expect_equal(const OpCase& row, const KernelSet& set, CompileOptions options) {
  const CaseGraph c = row.make();
  const StepContext context{.step = 3, .loss_scale = 0.125, .training = options.training, .seed = 11};
  const Values got = run(c, set, options, context);
  options.precision = Precision::fp64;
  const Values expected = run(c, kernel_set("naive", Precision::fp64), options, context);
  EXPECT_LE(worst_difference(got, expected), row.tolerance);
}

class FastAgainstNaive : public ::testing::TestWithParam<OpCase> {};

TEST_P(FastAgainstNaive, Fp32) {
  for (const KernelSet& set : kernel_sets()) {
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(std::string(set.name) + " with threads: " + std::to_string(threads));
      expect_equal(GetParam(), set, {.batch = GetParam().batch, .threads = threads, .seconds_worth_a_thread = 0});
    }
  }
}

TEST_P(FastAgainstNaive, InEvaluation) {
  for (const KernelSet& set : kernel_sets()) {
    SCOPED_TRACE(set.name);
    expect_equal(GetParam(), set, {.batch = GetParam().batch, .training = false});
  }
}

std::vector<OpCase> all_cases() {
  std::vector<OpCase> cases = op_cases();
  for (OpCase& c : chain_cases()) cases.push_back(std::move(c));
  for (const char* id : {"mlp-digits", "cnn-fashion", "gpt-austen", "lstm-austen", "alexnet", "resnet20", "vit", "bert",
                         "moe-gpt", "dlrm"}) {
    cases.push_back(model_case(id, "micro", 5));
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Ops, FastAgainstNaive, ::testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

TEST(WorstDifference, SeesEachKindOfFault) {
  const Values good = {{1, {1, 2}}, {2, {100, 0}}};
  EXPECT_EQ(worst_difference(good, good), 0);
  EXPECT_EQ(worst_difference({{1, {1, 2.5}}, {2, {100, 0}}}, good), 0.25);  // of the largest, 2
  EXPECT_EQ(worst_difference({{1, {1, 2}}, {2, {100, 50}}}, good), 0.5);    // of the largest, 100
  EXPECT_EQ(worst_difference({{1, {1, NAN}}, {2, {100, 0}}}, good), INFINITY);
  EXPECT_EQ(worst_difference({{1, {1, 2}}}, good), INFINITY);
  EXPECT_EQ(worst_difference({{1, {1}}, {2, {100, 0}}}, good), INFINITY);
}

TEST(KernelSets, AutoIsTheFirstThatSupportsThePrecision) {
  EXPECT_EQ(kernel_set("auto", Precision::fp32).name, kernel_sets().front().name);
  EXPECT_EQ(kernel_set("auto", Precision::fp64).name, "naive");
}

TEST(KernelSets, AnUnknownNameIsUnsupportedAndNamesTheKnownOnes) {
  try {
    kernel_set("cuda", Precision::fp64);
    FAIL() << "no failure";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.kind(), "unsupported");
    EXPECT_NE(std::string(failure.what()).find("naive"), std::string::npos) << failure.what();
  }
  EXPECT_THROW(kernel_set("onednn", Precision::fp64), Failure);
}

/// Two executables of one graph, for the full and for the last, smaller batch, work side by side.
TEST(RaggedBatch, ASecondCompilationDoesNotDisturbTheFirst) {
  for (const OpCase& row : chain_cases()) {
    const CaseGraph c = row.make();
    for (const KernelSet& set : kernel_sets()) {
      SCOPED_TRACE(std::string(set.name) + " " + row.name);
      Runner full(c, set, {.batch = 4}), ragged(c, set, {.batch = 1});
      full.set(random_values(c, 4, 3));
      ragged.set(random_values(c, 1, 3));
      full.run();
      const Values before = full.get();
      ragged.run();
      full.run();
      EXPECT_EQ(full.get(), before);
      Runner naive(c, kernel_set("naive", Precision::fp64), {.precision = Precision::fp64, .batch = 1});
      naive.set(random_values(c, 1, 3));
      naive.run();
      EXPECT_LE(worst_difference(ragged.get(), naive.get()), row.tolerance);
    }
  }
}

/// In-place work shows in the needs: some buffer shares its memory, none with a later one.
TEST(Aliasing, ChainsShareMemory) {
#ifdef LOCKSTEP_WITH_ONEDNN
  int shared = 0;
  for (const OpCase& row : chain_cases()) {
    const auto executable = kernel_set("onednn", Precision::fp32).compile(row.make().graph, {.batch = 2});
    const auto& needs = executable->buffers();
    for (size_t i = 0; i < needs.size(); ++i) {
      if (needs[i].alias < 0) continue;
      const BufferNeed& root = needs[static_cast<size_t>(needs[i].alias)];
      EXPECT_LT(needs[i].alias, static_cast<int32_t>(i));
      EXPECT_LT(root.alias, 0) << "an alias of an alias";
      EXPECT_LE(root.first_op, needs[i].first_op);
      EXPECT_GE(root.last_op, needs[i].last_op);
      EXPECT_GE(root.bytes, needs[i].bytes);
      ++shared;
    }
  }
  EXPECT_GT(shared, 0);
#else
  GTEST_SKIP() << "built without oneDNN";
#endif
}

}  // namespace
}  // namespace lockstep::kernels::testing
