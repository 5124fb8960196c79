#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "reference_trainer/graph/dim.h"
#include "reference_trainer/graph/op_kind.h"
#include "reference_trainer/plan/text/strategy.h"

namespace lockstep::plan {

/// A layout rule: in ops of this kind (none: any) whose name begins with `prefix`, loops over `loop` are split over
/// `axis`. Rules are data; lowering inserts what they need. Several rules may name one loop: their axes are ordered.
struct LayoutRule {
  graph::OpKind kind = graph::OpKind::none;
  std::string_view prefix;
  graph::Dim loop = graph::Dim::batch;
  text::Axis axis = text::Axis::dp;
};

/// Data parallelism: every op's batch loop is split over dp (techniques: batch, sample or replicated training).
std::span<const LayoutRule> dp_rules();

/// The rules of a strategy, in the order in which they apply.
std::vector<LayoutRule> rules_of(const text::Strategy& strategy);

}  // namespace lockstep::plan
