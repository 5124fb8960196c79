// Named layouts of the tensor-parallel axis, in place of its usual rules (techniques A1.6, A1.18, A1.22).
#include "reference_trainer/plan/rules/rules.h"

namespace lockstep::plan {

using graph::Dim;
using graph::OpKind;
using text::Axis;

std::span<const LayoutRule> megatron_rules() {
  static constexpr LayoutRule kRules[] = {{OpKind::none, "", Dim::heads, Axis::tp},
                                          {OpKind::none, "", Dim::ffn, Axis::tp},
                                          {OpKind::none, "", Dim::vocab, Axis::tp}};
  return kRules;
}

std::span<const LayoutRule> vocab_rules() {
  static constexpr LayoutRule kRules[] = {{OpKind::none, "", Dim::vocab, Axis::tp}};
  return kRules;
}

std::span<const LayoutRule> filter_rules() {
  static constexpr LayoutRule kRules[] = {{OpKind::conv2d, "", Dim::chan_out, Axis::tp, Where::out},
                                          {OpKind::linear, "", Dim::hidden, Axis::tp, Where::out},
                                          {OpKind::linear, "", Dim::ffn, Axis::tp, Where::out}};
  return kRules;
}

std::span<const LayoutRule> channel_rules() {
  static constexpr LayoutRule kRules[] = {{OpKind::conv2d, "", Dim::chan_in, Axis::tp, Where::in, true},
                                          {OpKind::linear, "", Dim::hidden, Axis::tp, Where::in},
                                          {OpKind::linear, "", Dim::ffn, Axis::tp, Where::in},
                                          {OpKind::linear, "", Dim::chan_out, Axis::tp, Where::in}};
  return kRules;
}

}  // namespace lockstep::plan
