#include "reference_trainer/train/optimizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "adapters/contract/invariant.h"
#include "reference_trainer/kernels/update.h"

namespace lockstep::train {
namespace {

using workloads::Optimizer;
using workloads::Recipe;

/// The arrays of one range of elements that the rank updates.
template <class Real>
struct Arrays {
  Real* w;
  const Real* g;
  std::array<Real*, 2> kept;  ///< the optimizer's own
  int64_t count;
};

template <class Real>
void sgd(const Arrays<Real>& x, const Recipe& r, const UpdateArguments& a) {
  kernels::sgd(x.w, x.g, x.count, a.lr, r.weight_decay, a.grad_scale);
}

template <class Real, bool nesterov>
void momentum(const Arrays<Real>& x, const Recipe& r, const UpdateArguments& a) {
  kernels::momentum(x.w, x.g, x.kept[0], x.count, a.lr, r.momentum, nesterov, r.weight_decay, a.grad_scale);
}

template <class Real>
void adamw(const Arrays<Real>& x, const Recipe& r, const UpdateArguments& a) {
  kernels::adamw(x.w, x.g, x.kept[0], x.kept[1], x.count, a.lr, r.beta1, r.beta2, r.epsilon, r.weight_decay, a.step + 1,
                 a.grad_scale);
}

/// Runs a rule over every range that the rank keeps of the optimizer's arrays: all elements, or its shards.
template <class Real, void (*rule)(const Arrays<Real>&, const Recipe&, const UpdateArguments&)>
void over_ranges(const ModelState<Real>& s, const Recipe& r, const UpdateArguments& a) {
  const plan::Plan& plan = s.plan();
  for (const plan::Held::Range& range : plan.optimizer.ranges) {
    if (range.count == 0) continue;
    Arrays<Real> arrays{s.parameters().data() + plan.parameters.at(range.begin),
                        s.gradients().data() + plan.gradients.at(range.begin),
                        {},
                        range.count};
    for (int i = 0; i < s.optimizer_arrays(); ++i)
      arrays.kept[static_cast<size_t>(i)] = s.optimizer_array(i).data() + range.at;
    rule(arrays, r, a);
  }
}

constexpr OptimizerRow kOptimizers[] = {
    {Optimizer::sgd, "sgd", 0, over_ranges<float, sgd<float>>, over_ranges<double, sgd<double>>},
    {Optimizer::momentum, "momentum", 1, over_ranges<float, momentum<float, false>>,
     over_ranges<double, momentum<double, false>>},
    {Optimizer::nesterov, "nesterov", 1, over_ranges<float, momentum<float, true>>,
     over_ranges<double, momentum<double, true>>},
    {Optimizer::adamw, "adamw", 2, over_ranges<float, adamw<float>>, over_ranges<double, adamw<double>>},
};

}  // namespace

const OptimizerRow& optimizer(Optimizer id) {
  for (const OptimizerRow& row : kOptimizers) {
    if (row.id == id) return row;
  }
  LOCKSTEP_INVARIANT(false, "optimizer {} has no row", static_cast<int>(id));
}

template <>
void update(const OptimizerRow& row, const ModelState<float>& state, const Recipe& recipe,
            const UpdateArguments& arguments) {
  row.fp32(state, recipe, arguments);
}
template <>
void update(const OptimizerRow& row, const ModelState<double>& state, const Recipe& recipe,
            const UpdateArguments& arguments) {
  row.fp64(state, recipe, arguments);
}

double learning_rate(const Recipe& recipe, int64_t step, int64_t steps) {
  if (step < recipe.warmup_steps)
    return recipe.lr * static_cast<double>(step + 1) / static_cast<double>(recipe.warmup_steps);
  const int64_t rest = std::max<int64_t>(1, steps - recipe.warmup_steps);
  const double t = static_cast<double>(step - recipe.warmup_steps) / static_cast<double>(rest),
               f = recipe.final_lr_fraction;
  switch (recipe.schedule) {
    case workloads::Schedule::constant:
      return recipe.lr;
    case workloads::Schedule::linear:
      return recipe.lr * (f + (1 - f) * (1 - t));
    case workloads::Schedule::cosine:
      return recipe.lr * (f + (1 - f) * 0.5 * (1 + std::cos(std::numbers::pi * t)));
  }
  return recipe.lr;
}

double clip_factor(const Recipe& recipe, double norm) {
  return recipe.clip ? std::min(1.0, *recipe.clip / (norm + 1e-6)) : 1.0;
}

}  // namespace lockstep::train
