#include "reference_trainer/train/optimizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "adapters/contract/invariant.h"
#include "reference_trainer/kernels/update.h"

namespace lockstep::train {
namespace {

using workloads::Optimizer;
using workloads::Recipe;

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

/// The gradient itself, clipped.
template <class Real>
void clipped(const Arrays<Real>& x, const Recipe&, const UpdateArguments& a) {
  if (a.grad_scale != 1) kernels::scale(x.g, x.count, a.grad_scale);
}

double lars_trust(const Recipe& r, double w, double g) {
  return w > 0 && g > 0 ? r.trust * w / (g + r.weight_decay * w) : 1;
}

template <class Real>
void lars_step(const Arrays<Real>& x, const Recipe& r, double rate) {
  kernels::lars(x.w, x.g, x.kept[0], x.count, rate, r.momentum, r.weight_decay);
}

template <class Real>
void lamb_direction(const Arrays<Real>& x, const Recipe& r, const UpdateArguments& a) {
  kernels::lamb_direction(x.w, x.g, x.kept[0], x.kept[1], x.count, r.beta1, r.beta2, r.epsilon, r.weight_decay,
                          a.step + 1, a.grad_scale);
}

double lamb_trust(const Recipe&, double w, double u) { return w > 0 && u > 0 ? w / u : 1; }

template <class Real>
void along(const Arrays<Real>& x, const Recipe&, double rate) {
  for (int64_t i = 0; i < x.count; ++i) x.w[i] -= static_cast<Real>(rate) * x.g[i];
}

template <class Real, auto rule>
constexpr UpdateRule<Real> kElementwise = {rule, nullptr, nullptr, nullptr};
template <class Real>
constexpr UpdateRule<Real> kLars = {nullptr, clipped<Real>, lars_trust, lars_step<Real>};
template <class Real>
constexpr UpdateRule<Real> kLamb = {nullptr, lamb_direction<Real>, lamb_trust, along<Real>};

constexpr OptimizerRow kOptimizers[] = {
    {Optimizer::sgd, "sgd", kElementwise<float, sgd<float>>, kElementwise<double, sgd<double>>},
    {Optimizer::momentum, "momentum", kElementwise<float, momentum<float, false>>,
     kElementwise<double, momentum<double, false>>},
    {Optimizer::nesterov, "nesterov", kElementwise<float, momentum<float, true>>,
     kElementwise<double, momentum<double, true>>},
    {Optimizer::adamw, "adamw", kElementwise<float, adamw<float>>, kElementwise<double, adamw<double>>},
    {Optimizer::lars, "lars", kLars<float>, kLars<double>},
    {Optimizer::lamb, "lamb", kLamb<float>, kLamb<double>},
};

template <class Real>
const UpdateRule<Real>& rule_of(const OptimizerRow& row) {
  if constexpr (std::is_same_v<Real, float>) {
    return row.fp32;
  } else {
    return row.fp64;
  }
}

/// The arrays of a range that the rank keeps of the optimizer's.
template <class Real>
Arrays<Real> arrays_of(const ModelState<Real>& s, const plan::Held::Range& range) {
  const plan::Plan& plan = s.plan();
  Arrays<Real> arrays{s.parameters().data() + plan.parameters.at(range.begin),
                      s.gradients().data() + plan.gradients.at(range.begin),
                      {},
                      range.count};
  for (int i = 0; i < s.optimizer_arrays(); ++i)
    arrays.kept[static_cast<size_t>(i)] = s.optimizer_array(i).data() + range.at;
  return arrays;
}

/// A range in pieces that fit into memory where the optimizer's arrays are offloaded; the range itself elsewhere.
template <class Real>
void for_each_window(const ModelState<Real>& s, const plan::Held::Range& range, const auto& visit) {
  const int64_t most = s.plan().offloads ? plan::kOffloadWindow : range.count;
  for (int64_t done = 0; done < range.count; done += most) {
    const int64_t count = std::min(most, range.count - done);
    visit(arrays_of(s, {range.begin + done, count, range.at + done}));
    s.rest(range.at + done, count);
  }
}

template <class Real>
void step_by_tensor(const UpdateRule<Real>& rule, const ModelState<Real>& s, const Recipe& r, double lr,
                    const TensorSums& sums) {
  const plan::Plan& plan = s.plan();
  for (const plan::Slot& slot : plan.slots) {
    const size_t p = slot.index;
    const double rate = lr * rule.trust(r, std::sqrt(sums.w[p]), std::sqrt(sums.g[p]));
    for (const plan::Held::Range& range : plan.optimizer.within(slot.offset, slot.count))
      for_each_window(s, range, [&](const Arrays<Real>& arrays) { rule.step(arrays, r, rate); });
  }
}

}  // namespace

const OptimizerRow& optimizer(Optimizer id) {
  for (const OptimizerRow& row : kOptimizers) {
    if (row.id == id) return row;
  }
  LOCKSTEP_INVARIANT(false, "optimizer {} has no row", static_cast<int>(id));
}

template <class Real>
void update(const OptimizerRow& row, const ModelState<Real>& state, const Recipe& recipe,
            const UpdateArguments& arguments, const std::function<TensorSums()>& sums) {
  const UpdateRule<Real>& rule = rule_of<Real>(row);
  for (const plan::Held::Range& range : state.plan().optimizer.ranges) {
    for_each_window(state, range, [&](const Arrays<Real>& arrays) {
      (rule.update ? rule.update : rule.direction)(arrays, recipe, arguments);
    });
  }
  if (!rule.update) step_by_tensor(rule, state, recipe, arguments.lr, sums());
}

template void update(const OptimizerRow&, const ModelState<float>&, const Recipe&, const UpdateArguments&,
                     const std::function<TensorSums()>&);
template void update(const OptimizerRow&, const ModelState<double>&, const Recipe&, const UpdateArguments&,
                     const std::function<TensorSums()>&);

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
