#include "reference_trainer/train/optimizer.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "adapters/contract/invariant.h"
#include "reference_trainer/kernels/update.h"

namespace lockstep::train {
namespace {

using workloads::Optimizer;
using workloads::Recipe;

template <class Real>
void sgd(const ModelState<Real>& s, const Recipe& r, const UpdateArguments& a) {
  const auto n = static_cast<int64_t>(s.parameters().size());
  kernels::sgd(s.parameters().data(), s.gradients().data(), n, a.lr, r.weight_decay, a.grad_scale);
}

template <class Real, bool nesterov>
void momentum(const ModelState<Real>& s, const Recipe& r, const UpdateArguments& a) {
  const auto n = static_cast<int64_t>(s.parameters().size());
  kernels::momentum(s.parameters().data(), s.gradients().data(), s.optimizer_array(0).data(), n, a.lr, r.momentum,
                    nesterov, r.weight_decay, a.grad_scale);
}

template <class Real>
void adamw(const ModelState<Real>& s, const Recipe& r, const UpdateArguments& a) {
  const auto n = static_cast<int64_t>(s.parameters().size());
  kernels::adamw(s.parameters().data(), s.gradients().data(), s.optimizer_array(0).data(), s.optimizer_array(1).data(),
                 n, a.lr, r.beta1, r.beta2, r.epsilon, r.weight_decay, a.step + 1, a.grad_scale);
}

constexpr OptimizerRow kOptimizers[] = {
    {Optimizer::sgd, "sgd", 0, sgd<float>, sgd<double>},
    {Optimizer::momentum, "momentum", 1, momentum<float, false>, momentum<double, false>},
    {Optimizer::nesterov, "nesterov", 1, momentum<float, true>, momentum<double, true>},
    {Optimizer::adamw, "adamw", 2, adamw<float>, adamw<double>},
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
