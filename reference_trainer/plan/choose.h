#pragma once

#include <functional>
#include <span>
#include <vector>

#include "reference_trainer/graph/loops.h"
#include "reference_trainer/plan/layout.h"
#include "reference_trainer/plan/mesh.h"
#include "reference_trainer/plan/rules/rules.h"

namespace lockstep::plan {

/// The mesh axes over which each loop of an op is split.
using LoopSplits = std::vector<std::vector<Axis>>;

/// Throws Failure("unsupported") with the nearest name when a rule is for a layer that the graph does not have.
void refuse_unknown_layers(const graph::Graph& whole, std::span<const LayoutRule> rules);

/// Chooses how ops are split: by the rules, and where these leave it open by what came before. Graph, rules and mesh
/// outlive it.
class Chooser {
 public:
  /// The layout of a whole graph's tensor as its producer left it; nullptr when nothing has made it yet.
  using LayoutOf = std::function<const Layout*(graph::TensorId)>;

  Chooser(const graph::Graph& whole, std::span<const LayoutRule> rules, const Mesh& mesh)
      : whole_(whole), rules_(rules), mesh_(mesh) {}

  /// Rules first; then, for ops that may, the layout that the operand has; then the rules for what that leaves. Throws
  /// Failure("unsupported") when a loop that an op needs whole would be split, or a group of samples gathered.
  LoopSplits choose(const graph::Op& op, const graph::OpLoops& nest, const LayoutOf& layout_of);

  /// Throws Failure("unsupported") when no op of the graph had a loop for an axis, or nothing to synchronize.
  void refuse_idle_rules() const;

 private:
  void choose_by(const LayoutRule& rule, const graph::Op& op, const graph::OpLoops& nest, LoopSplits& splits,
                 std::vector<Axis>& placed);
  void place(const graph::Op& op, const graph::OpLoops& nest, LoopSplits& splits, size_t loop, Axis axis,
             bool synchronizes) const;
  void deal_samples(const graph::Op& op, const graph::OpLoops& nest, LoopSplits& splits,
                    std::vector<Axis>& placed) const;
  void follow(const graph::Op& op, const graph::OpLoops& nest, const LayoutOf& layout_of, LoopSplits& splits,
              std::vector<Axis>& placed) const;
  void refuse_gathered_groups(const graph::Op& op, const LoopSplits& splits) const;

  const graph::Graph& whole_;
  std::span<const LayoutRule> rules_;
  const Mesh& mesh_;
  std::vector<Axis> used_;     ///< axes of which a rule has found its op
  bool synchronized_ = false;  ///< a rule that synchronizes has
};

}  // namespace lockstep::plan
