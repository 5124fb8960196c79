#include "reference_trainer/plan/rules/rules.h"

namespace lockstep::plan {

using graph::Dim;
using graph::OpKind;
using text::Axis;

std::span<const LayoutRule> height_rules() {
  static constexpr LayoutRule kRules[] = {{OpKind::conv2d, "", Dim::height, Axis::h, Where::plain, true},
                                          {OpKind::max_pool, "", Dim::height, Axis::h, Where::plain, true},
                                          {OpKind::avg_pool, "", Dim::height, Axis::h, Where::plain, true}};
  return kRules;
}

std::span<const LayoutRule> width_rules() {
  static constexpr LayoutRule kRules[] = {{OpKind::conv2d, "", Dim::width, Axis::w, Where::plain, true},
                                          {OpKind::max_pool, "", Dim::width, Axis::w, Where::plain, true},
                                          {OpKind::avg_pool, "", Dim::width, Axis::w, Where::plain, true}};
  return kRules;
}

}  // namespace lockstep::plan
