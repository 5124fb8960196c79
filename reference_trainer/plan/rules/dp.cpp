#include "reference_trainer/plan/rules/rules.h"

namespace lockstep::plan {

std::span<const LayoutRule> dp_rules() {
  static constexpr LayoutRule kRules[] = {{graph::OpKind::none, "", graph::Dim::batch, text::Axis::dp}};
  return kRules;
}

}  // namespace lockstep::plan
