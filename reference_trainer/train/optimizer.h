#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "reference_trainer/train/model_state.h"
#include "workloads/data/recipe.h"

namespace lockstep::train {

/// One step of an optimizer: step counts from 0; `grad_scale` multiplies the gradients first (clipping).
struct UpdateArguments {
  int64_t step = 0;
  double lr = 0;
  double grad_scale = 1;
};

/// One range of elements that a rank updates.
template <class Real>
struct Arrays {
  Real *w, *g;
  std::array<Real*, 2> kept;  ///< the optimizer's own
  int64_t count;
};

/// What an optimizer does to a range. Element by element: `update` alone. With a rate of each tensor's own: `direction`
/// puts what is stepped along in place of the gradient, `trust` makes of the norms of the whole tensor and its
/// direction a factor, and `step` goes along.
template <class Real>
struct UpdateRule {
  void (*update)(const Arrays<Real>&, const workloads::Recipe&, const UpdateArguments&) = nullptr;
  void (*direction)(const Arrays<Real>&, const workloads::Recipe&, const UpdateArguments&) = nullptr;
  double (*trust)(const workloads::Recipe&, double w_norm, double direction_norm) = nullptr;
  void (*step)(const Arrays<Real>&, const workloads::Recipe&, double rate) = nullptr;
};

/// A row of the table of optimizers; the formulas stand on the workloads' page.
struct OptimizerRow {
  workloads::Optimizer id;
  std::string_view name;
  UpdateRule<float> fp32;
  UpdateRule<double> fp64;
};

const OptimizerRow& optimizer(workloads::Optimizer id);

/// Sums of squares of what a rank updates of its parameters, and of its gradients, over all ranks: one each a parameter
/// of the whole model.
struct TensorSums {
  std::vector<double> w, g;
};

/// Updates all parameters that the rank keeps optimizer arrays of. `sums` is asked for once, by rules with a rate of
/// each tensor's own; then on all ranks.
template <class Real>
void update(const OptimizerRow& row, const ModelState<Real>& state, const workloads::Recipe& recipe,
            const UpdateArguments& arguments, const std::function<TensorSums()>& sums);

/// The learning rate of a step (from 0) of a run of `steps`: linear warm-up, then constant, linear or cosine decay
/// (Loshchilov and Hutter 2017) down to lr x final_lr_fraction.
double learning_rate(const workloads::Recipe& recipe, int64_t step, int64_t steps);

/// What clipping by global norm multiplies the gradients by (Pascanu et al. 2013): min(1, clip / (norm + 1e-6)).
double clip_factor(const workloads::Recipe& recipe, double norm);

}  // namespace lockstep::train
