#include "reference_trainer/plan/rules/rules.h"

namespace lockstep::plan {

using graph::Dim;
using graph::OpKind;
using text::Axis;

std::span<const LayoutRule> sp_rules() {
  static constexpr LayoutRule kRules[] = {
      {OpKind::layer_norm, "", Dim::seq, Axis::tp},
      {OpKind::dropout, "", Dim::seq, Axis::tp},
      {OpKind::add, "", Dim::seq, Axis::tp},
      {OpKind::positions, "", Dim::seq, Axis::tp},
  };
  return kRules;
}

}  // namespace lockstep::plan
