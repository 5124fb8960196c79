#include "reference_trainer/plan/rules/rules.h"

namespace lockstep::plan {

std::span<const LayoutRule> cp_rules() {
  static constexpr LayoutRule kRules[] = {{graph::OpKind::none, "", graph::Dim::seq, text::Axis::cp}};
  return kRules;
}

}  // namespace lockstep::plan
