// The gradient kinds of the oracle against central finite differences of its forward kinds, in fp64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/kernels/op_cases.h"
#include "tests/kernels/run_graph.h"

namespace lockstep::kernels::testing {
namespace {

using graph::TensorId;

constexpr CompileOptions options(int64_t batch) { return {.precision = Precision::fp64, .batch = batch}; }

/// Sum over outputs of y * dy: its gradient is what the gradient ops compute from dy.
double objective(const CaseGraph& c, const Values& inputs, int64_t batch) {
  Runner runner(c, kernel_set("naive", Precision::fp64), options(batch));
  runner.set(inputs);
  runner.run({.seed = 7});
  const Values got = runner.get();
  if (c.graph.loss != graph::kNoTensor) return got.at(c.graph.loss)[0];
  double sum = 0;
  for (const auto& [y, dy] : c.seeds) {
    for (size_t i = 0; i < got.at(y).size(); ++i) sum += got.at(y)[i] * inputs.at(dy)[i];
  }
  return sum;
}

class NaiveGradients : public ::testing::TestWithParam<OpCase> {};

TEST_P(NaiveGradients, AgreeWithFiniteDifferences) {
  const CaseGraph c = GetParam().make();
  const int64_t batch = std::min<int64_t>(GetParam().batch, 6);
  Values inputs = random_values(c, batch, 1);
  Runner runner(c, kernel_set("naive", Precision::fp64), options(batch));
  runner.set(inputs);
  runner.run({.seed = 7});
  for (const auto& [id, gradient] : runner.get()) {
    const TensorId of = c.graph.tensor(id).of;
    if (of == graph::kNoTensor || !inputs.contains(of)) continue;
    const size_t stride = std::max<size_t>(1, gradient.size() / 7);
    for (size_t i = 0; i < gradient.size(); i += stride) {
      constexpr double kStep = 1e-5;
      const double at = inputs[of][i];
      inputs[of][i] = at + kStep;
      const double above = objective(c, inputs, batch);
      inputs[of][i] = at - kStep;
      const double below = objective(c, inputs, batch);
      inputs[of][i] = at;
      EXPECT_NEAR(gradient[i], (above - below) / (2 * kStep), 1e-6 * std::max(1.0, std::abs(gradient[i])))
          << c.graph.tensor(id).name << "[" << i << "]";
    }
  }
}

std::vector<OpCase> smooth_cases() {
  std::vector<OpCase> cases = op_cases();
  std::erase_if(cases, [](const OpCase& c) { return !c.smooth; });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Ops, NaiveGradients, ::testing::ValuesIn(smooth_cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace lockstep::kernels::testing
