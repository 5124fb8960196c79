#include "reference_trainer/train/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "reference_trainer/plan/buckets.h"

namespace lockstep::train {
namespace {

using workloads::Optimizer;
using workloads::Recipe;
using workloads::Schedule;

/// A plan with one parameter of one element.
plan::Plan one_parameter() {
  plan::Plan plan;
  plan.slots = {{0, 0, 1, 0, 1, 0}};
  plan.stages.resize(1);
  for (graph::Graph* graph : {&plan.whole, &plan.stages[0].local.graph}) {
    graph->tensors = {{"w", {}, graph::Type::real, graph::Role::parameter, {}, graph::kNoTensor}, {}};
    graph->parameters = {0};
  }
  plan.flat_count = 2;
  plan.parameters = plan.gradients = plan.optimizer = plan::Held::whole(2);
  return plan;
}

/// The formulas of the workloads' page on one number.
struct Scalar {
  double w, m = 0, v = 0;

  void step(const Recipe& r, double lr, double g, int64_t t) {
    switch (r.optimizer) {
      case Optimizer::sgd:
        w -= lr * (g + r.weight_decay * w);
        break;
      case Optimizer::momentum:
        m = r.momentum * m + (g + r.weight_decay * w);
        w -= lr * m;
        break;
      case Optimizer::nesterov: {
        const double decayed = g + r.weight_decay * w;
        m = r.momentum * m + decayed;
        w -= lr * (decayed + r.momentum * m);
        break;
      }
      case Optimizer::adamw: {
        w *= 1 - lr * r.weight_decay;
        m = r.beta1 * m + (1 - r.beta1) * g;
        v = r.beta2 * v + (1 - r.beta2) * g * g;
        const double mean = m / (1 - std::pow(r.beta1, t)), square = v / (1 - std::pow(r.beta2, t));
        w -= lr * mean / (std::sqrt(square) + r.epsilon);
        break;
      }
      case Optimizer::lars: {
        const double trust = r.trust * std::abs(w) / (std::abs(g) + r.weight_decay * std::abs(w));
        m = r.momentum * m + lr * trust * (g + r.weight_decay * w);
        w -= m;
        break;
      }
      case Optimizer::lamb: {
        m = r.beta1 * m + (1 - r.beta1) * g;
        v = r.beta2 * v + (1 - r.beta2) * g * g;
        const double mean = m / (1 - std::pow(r.beta1, t)), square = v / (1 - std::pow(r.beta2, t));
        const double u = mean / (std::sqrt(square) + r.epsilon) + r.weight_decay * w;
        w -= lr * std::abs(w) / std::abs(u) * u;
        break;
      }
    }
  }
};

class Optimizers : public testing::TestWithParam<Optimizer> {};

TEST_P(Optimizers, FollowTheirFormulasOverFiveSteps) {
  Recipe recipe;
  recipe.optimizer = GetParam();
  recipe.weight_decay = 0.03;
  const OptimizerRow& row = optimizer(GetParam());
  const plan::Plan plan = one_parameter();
  ModelState<double> state(plan, workloads::optimizer_arrays(GetParam()));
  state.parameters()[0] = 0.7;
  Scalar scalar{0.7};
  for (int64_t step = 0; step < 5; ++step) {
    const double g = std::sin(1.0 + static_cast<double>(step)), lr = 0.1 / static_cast<double>(step + 1),
                 scale = step == 3 ? 0.5 : 1.0;
    state.gradients()[0] = g;
    const auto sums = [&] {
      const double w = state.parameters()[0], u = state.gradients()[0];
      return TensorSums{{w * w}, {u * u}};
    };
    update(row, state, recipe, {step, lr, scale}, sums);
    scalar.step(recipe, lr, g * scale, step + 1);
    EXPECT_NEAR(state.parameters()[0], scalar.w, 1e-14) << row.name << " step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Optimizers,
                         testing::Values(Optimizer::sgd, Optimizer::momentum, Optimizer::nesterov, Optimizer::adamw,
                                         Optimizer::lars, Optimizer::lamb),
                         [](const auto& info) { return std::string(optimizer(info.param).name); });

TEST(LearningRate, WarmsUpThenDecays) {
  Recipe recipe;
  recipe.lr = 2;
  recipe.warmup_steps = 4;
  recipe.final_lr_fraction = 0.1;
  recipe.schedule = Schedule::constant;
  EXPECT_DOUBLE_EQ(learning_rate(recipe, 0, 24), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate(recipe, 3, 24), 2);
  EXPECT_DOUBLE_EQ(learning_rate(recipe, 23, 24), 2);
  recipe.schedule = Schedule::linear;
  EXPECT_DOUBLE_EQ(learning_rate(recipe, 4, 24), 2);
  EXPECT_DOUBLE_EQ(learning_rate(recipe, 14, 24), 2 * 0.55);
  recipe.schedule = Schedule::cosine;
  EXPECT_DOUBLE_EQ(learning_rate(recipe, 14, 24), 2 * 0.55);
  EXPECT_DOUBLE_EQ(learning_rate(recipe, 9, 24), 2 * (0.1 + 0.9 * 0.5 * (1 + std::cos(std::numbers::pi / 4))));
}

TEST(ClipFactor, ScalesDownOnly) {
  Recipe recipe;
  EXPECT_EQ(clip_factor(recipe, 100), 1);
  recipe.clip = 2;
  EXPECT_EQ(clip_factor(recipe, 1), 1);
  EXPECT_DOUBLE_EQ(clip_factor(recipe, 8), 2 / (8 + 1e-6));
}

}  // namespace
}  // namespace lockstep::train
