#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "reference_trainer/graph/dim.h"
#include "reference_trainer/graph/loops.h"
#include "reference_trainer/graph/op_kind.h"
#include "reference_trainer/plan/text/strategy.h"

namespace lockstep::plan {

/// Which loops of a dim a rule means: any, those that a product makes (`out`) or contracts (`in`), or `plain` ones.
enum class Where : uint8_t { any, plain, out, in };

/// A layout rule: in ops of this kind (none: any) and its gradients, of layers that `layer` names, a loop over `loop`
/// is split over `axis`. Of each op the first rule of an axis that finds a loop is the one that counts; several axes
/// may split one loop, in the order of the rules. Rules are data; lowering inserts what they need.
struct LayoutRule {
  graph::OpKind kind = graph::OpKind::none;  ///< of a gradient op: that op alone
  /// "fc1": the layer, and those that it consists of ("fc1.proj"); "fc%": all whose name begins so; empty: all.
  std::string_view layer;
  graph::Dim loop = graph::Dim::batch;
  text::Axis axis = text::Axis::dp;
  Where where = Where::any;
  bool where_it_fits =
      false;                  ///< a loop with fewer positions than ranks stays whole (an image's first 1 or 3 channels)
  bool otherwise = false;     ///< counts where an op has not taken its operand's split over the axis
  bool stays_whole = false;   ///< these ops are not split over the axis at all; `loop` means nothing
  bool synchronizes = false;  ///< splits a loop that an op needs whole, where it has an expansion for that

  bool operator==(const LayoutRule&) const = default;
};

/// Data parallelism: every op's batch loop is split over dp (techniques: batch, sample or replicated training).
std::span<const LayoutRule> dp_rules();

/// Tensor parallelism (Shoeybi et al. 2019): attention by heads, the feed-forward network by its inner dim, embedding,
/// head and loss by the vocabulary; of other products, what they make (filter-parallel: Dryden et al. 2019).
std::span<const LayoutRule> tp_rules();

/// Sequence parallelism beside tensor parallelism (Korthikanti et al. 2022): norms, dropout and residual sums by
/// position over the same ranks.
std::span<const LayoutRule> sp_rules();

/// Synchronised batch norm: its groups of samples over dp, its planes over h and w, statistics added up over the ranks.
std::span<const LayoutRule> sync_bn_rules();

/// Context parallelism (Li et al. 2021; Liu, Zaharia, Abbeel 2023): every op by position, attention as a ring.
std::span<const LayoutRule> cp_rules();

/// Expert parallelism (Lepikhin et al. 2020; Fedus et al. 2021): samples over these ranks too, but the stacked experts
/// one part a rank, to which tokens go and from which they return by all_to_all. Embedding tables alike.
std::span<const LayoutRule> ep_rules();

/// Spatial parallelism (Dryden et al. 2019): convolutions and pools by rows or columns of the image.
std::span<const LayoutRule> height_rules();
std::span<const LayoutRule> width_rules();

/// The rules of a strategy, in the order in which they apply: those of its layout term (named_layouts.h) for the axes
/// that it names, of other axes their own. Layer names lie in the strategy, which must outlive them. Throws
/// Failure("usage") for a rule outside the grammar, and where the layout names an axis that the mesh lacks.
std::vector<LayoutRule> rules_of(const text::Strategy& strategy);

}  // namespace lockstep::plan
