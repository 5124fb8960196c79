#include "reference_trainer/train/norms.h"

#include <cmath>

#include "reference_trainer/kernels/update.h"

namespace lockstep::train {

template <class Real>
std::vector<double> sums_of_squares(const plan::Plan& plan, Groups& groups, std::span<const Real> array,
                                    const plan::Held& held, const plan::Held& valid) {
  std::vector<double> sums(plan.whole.parameters.size(), 0);
  for (const plan::Slot& slot : plan.slots) {
    if (!plan.is_first_holder(slot, valid.sharded)) continue;
    double& sum = sums[slot.index];
    for (const plan::Held::Range& piece : valid.within(slot.offset, slot.count))
      sum += kernels::sum_of_squares(array.data() + held.at(piece.begin), piece.count);
  }
  const std::vector<plan::Axis> axes = plan.holder_axes(valid.sharded);
  if (!axes.empty()) groups.over(axes).run(comm::Operation::all_reduce, std::span(sums), "norms");
  return sums;
}

Norms norms_of(const plan::Plan& plan, const std::vector<double>& sums) {
  Norms norms;
  for (size_t i = 0; i < sums.size(); ++i) norms[plan.whole.tensor(plan.whole.parameters[i]).name] = std::sqrt(sums[i]);
  return norms;
}

template std::vector<double> sums_of_squares(const plan::Plan&, Groups&, std::span<const float>, const plan::Held&,
                                             const plan::Held&);
template std::vector<double> sums_of_squares(const plan::Plan&, Groups&, std::span<const double>, const plan::Held&,
                                             const plan::Held&);

}  // namespace lockstep::train
