#pragma once

#include <cstdint>
#include <string_view>

#include "reference_trainer/train/model_state.h"
#include "workloads/data/recipe.h"

namespace lockstep::train {

/// One step of an optimizer: step counts from 0; `grad_scale` multiplies the gradients first (clipping).
struct UpdateArguments {
  int64_t step = 0;
  double lr = 0;
  double grad_scale = 1;
};

/// A row of the table of optimizers; the formulas stand on the workloads' page.
struct OptimizerRow {
  workloads::Optimizer id;
  std::string_view name;
  int arrays;  ///< how many arrays as large as the parameters it keeps
  void (*fp32)(const ModelState<float>&, const workloads::Recipe&, const UpdateArguments&);
  void (*fp64)(const ModelState<double>&, const workloads::Recipe&, const UpdateArguments&);
};

const OptimizerRow& optimizer(workloads::Optimizer id);

/// Updates all parameters that the rank keeps optimizer arrays of.
template <class Real>
void update(const OptimizerRow& row, const ModelState<Real>& state, const workloads::Recipe& recipe,
            const UpdateArguments& arguments);

/// The learning rate of a step (from 0) of a run of `steps`: linear warm-up, then constant, linear or cosine decay
/// (Loshchilov and Hutter 2017) down to lr x final_lr_fraction.
double learning_rate(const workloads::Recipe& recipe, int64_t step, int64_t steps);

/// What clipping by global norm multiplies the gradients by (Pascanu et al. 2013): min(1, clip / (norm + 1e-6)).
double clip_factor(const workloads::Recipe& recipe, double norm);

}  // namespace lockstep::train
