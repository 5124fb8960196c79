#include "reference_trainer/plan/rules/rules.h"

namespace lockstep::plan {

using graph::Dim;
using graph::OpKind;
using text::Axis;

/// The experts' own ops first: of these a rank has some experts and the tokens of all ranks. A router's product makes
/// one number an expert, so that its loop over experts is no plain one. Embedding tables go the same way: of these a
/// rank has some, and the ids of all ranks (Naumov et al. 2019, hybrid parallelism).
std::span<const LayoutRule> ep_rules() {
  static constexpr LayoutRule kRules[] = {{OpKind::none, "", Dim::expert, Axis::ep, Where::plain},
                                          {OpKind::none, "", Dim::table, Axis::ep, Where::plain},
                                          {OpKind::none, "", Dim::batch, Axis::ep}};
  return kRules;
}

}  // namespace lockstep::plan
