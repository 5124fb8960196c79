#include "reference_trainer/plan/rules/rules.h"

namespace lockstep::plan {

using graph::Dim;
using graph::OpKind;
using text::Axis;

std::span<const LayoutRule> sync_bn_rules() {
  static constexpr LayoutRule kRules[] = {
      {.kind = OpKind::batch_norm, .loop = Dim::batch, .axis = Axis::dp, .synchronizes = true},
      {.kind = OpKind::batch_norm, .loop = Dim::height, .axis = Axis::h, .where_it_fits = true, .synchronizes = true},
      {.kind = OpKind::batch_norm, .loop = Dim::width, .axis = Axis::w, .where_it_fits = true, .synchronizes = true},
  };
  return kRules;
}

}  // namespace lockstep::plan
