#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "reference_trainer/plan/held.h"
#include "reference_trainer/plan/plan.h"
#include "reference_trainer/train/groups.h"

namespace lockstep::train {

/// L2 norms by parameter name.
using Norms = std::map<std::string, double>;

/// Sums of squares of an array like the parameters, one a parameter of the whole model: each element is counted at its
/// first holder. `held` says what the array has, and `valid` what of that is its final value. All ranks call it.
template <class Real>
std::vector<double> sums_of_squares(const plan::Plan& plan, Groups& groups, std::span<const Real> array,
                                    const plan::Held& held, const plan::Held& valid);

Norms norms_of(const plan::Plan& plan, const std::vector<double>& sums);

}  // namespace lockstep::train
