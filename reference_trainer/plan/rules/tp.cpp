#include "reference_trainer/plan/rules/rules.h"

namespace lockstep::plan {

using graph::Dim;
using graph::OpKind;
using text::Axis;

std::span<const LayoutRule> tp_rules() {
  static constexpr LayoutRule kRules[] = {
      {OpKind::none, "", Dim::heads, Axis::tp},
      {OpKind::none, "", Dim::ffn, Axis::tp},
      {OpKind::none, "", Dim::vocab, Axis::tp, Where::any, true},  // a table of 2 segments stays whole
      {OpKind::linear, "", Dim::hidden, Axis::tp, Where::out},
      {OpKind::conv2d, "", Dim::chan_out, Axis::tp, Where::out},
  };
  return kRules;
}

}  // namespace lockstep::plan
