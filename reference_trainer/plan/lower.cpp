#include "reference_trainer/plan/lower.h"

#include <fmt/format.h>

#include "adapters/contract/failure.h"
#include "reference_trainer/graph/loops.h"

namespace lockstep::plan {
namespace {

using graph::Op;
using graph::OpLoops;

/// The mesh axes over which each loop of an op is split.
using LoopSplits = std::vector<std::vector<Axis>>;

bool applies(const LayoutRule& rule, const Op& op, const graph::Loop& loop) {
  return (rule.kind == graph::OpKind::none || rule.kind == op.kind) && op.name.starts_with(rule.prefix) &&
         rule.loop == loop.dim;
}

[[noreturn]] void refuse_whole(const Op& op, const graph::Loop& loop, Axis axis, const Mesh& mesh) {
  std::string group;
  if (op.kind == graph::OpKind::batch_norm || op.kind == graph::OpKind::batch_norm_grad) {
    group = op.attr.norm_group ? fmt::format(": its norm_group is {} samples", op.attr.norm_group)
                               : ": its norm_group is the whole batch";
  }
  throw Failure(
      "unsupported",
      fmt::format("{}{} would split the {} of {} \"{}\" over {} ranks, but that op needs it whole{}; run it as "
                  "serial, or take a workload without that op",
                  text::name(axis), mesh.size(axis), graph::name(loop.dim), graph::name(op.kind), op.name,
                  mesh.size(axis), group));
}

LoopSplits choose(const Op& op, const OpLoops& nest, std::span<const LayoutRule> rules, const Mesh& mesh) {
  LoopSplits splits(nest.loops.size());
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    for (const LayoutRule& rule : rules) {
      if (!applies(rule, op, nest.loops[i])) continue;
      if (nest.loops[i].kind != graph::Loop::map) refuse_whole(op, nest.loops[i], rule.axis, mesh);
      splits[i].push_back(rule.axis);
    }
  }
  return splits;
}

/// The layout in which an op reads or leaves operand `k`: each axis is split as its loop is. A loop that is split but
/// does not index a result leaves the result partial.
Layout layout_of(const OpLoops& nest, size_t k, const LoopSplits& splits, bool is_result) {
  Layout layout;
  for (int8_t loop : nest.operands[k]) {
    layout.split.push_back(loop < 0 ? std::vector<Axis>{} : splits[static_cast<size_t>(loop)]);
  }
  if (!is_result) return layout;
  for (size_t loop = 0; loop < splits.size(); ++loop) {
    if (nest.indexes(k, loop)) continue;
    layout.partial.insert(layout.partial.end(), splits[loop].begin(), splits[loop].end());
  }
  return layout;
}

/// The sums that an op may leave open: adding and renaming axes are linear, so partial operands give a partial result,
/// and one exchange at the end does for all of them. All operands must be partial alike.
std::vector<Axis> open_sums(const Op& op, const std::vector<Layout>& layouts) {
  if (op.kind != graph::OpKind::add && op.kind != graph::OpKind::reshape) return {};
  const auto& partial = layouts[static_cast<size_t>(op.in[0])].partial;
  for (graph::TensorId id : op.in) {
    if (layouts[static_cast<size_t>(id)].partial != partial) return {};
  }
  return partial;
}

class Lowering {
 public:
  Lowering(const graph::Graph& graph, std::span<const LayoutRule> rules, const Mesh& mesh)
      : rules_(rules), mesh_(mesh) {
    local_.graph = graph;
    for (const graph::Tensor& tensor : graph.tensors) local_.layouts.push_back(first_layout(tensor));
  }

  LocalGraph run() {
    for (size_t i = 0; i < local_.graph.ops.size(); ++i) lower_op(static_cast<int32_t>(i));
    return std::move(local_);
  }

 private:
  /// Inputs arrive as the data rank's share; parameters and states are replicated.
  Layout first_layout(const graph::Tensor& tensor) const {
    Layout layout = replicated(tensor);
    if (tensor.role == graph::Role::input && mesh_.size(Axis::dp) > 1) layout.split[0] = {Axis::dp};
    return layout;
  }

  void lower_op(int32_t index) {
    const Op& op = local_.graph.ops[static_cast<size_t>(index)];
    const OpLoops nest = graph::loops_of(local_.graph, op);
    const LoopSplits splits = choose(op, nest, rules_, mesh_);
    const std::vector<Axis> sums = open_sums(op, local_.layouts);
    for (size_t k = 0; k < op.in.size(); ++k) {
      Layout want = layout_of(nest, k, splits, false);
      want.partial = sums;
      require(op.in[k], index, want, op);
    }
    for (size_t k = 0; k < op.out.size(); ++k) {
      const graph::TensorId id = op.out[k];
      local_.layouts[static_cast<size_t>(id)] = layout_of(nest, op.in.size() + k, splits, true);
      auto& partial = local_.layouts[static_cast<size_t>(id)].partial;
      partial.insert(partial.end(), sums.begin(), sums.end());
      const graph::Role role = local_.graph.tensor(id).role;
      if (role == graph::Role::gradient || role == graph::Role::metric) {
        require(id, index, replicated(local_.graph.tensor(id)), op);
      }
    }
  }

  /// Adds the exchanges that bring a tensor into the wanted layout; the layout of record stays the producer's.
  void require(graph::TensorId id, int32_t index, const Layout& want, const Op& op) {
    for (const Conversion& conversion : convert(local_.layouts[static_cast<size_t>(id)], want)) {
      const std::string why = fmt::format("{} {}: {} over {}", graph::name(op.kind), op.name, name(conversion.kind),
                                          text::name(conversion.axis));
      local_.exchanges.push_back({id, index, conversion, why});
    }
  }

  LocalGraph local_;
  std::span<const LayoutRule> rules_;
  const Mesh& mesh_;
};

}  // namespace

LocalGraph lower(const graph::Graph& graph, std::span<const LayoutRule> rules, const Mesh& mesh) {
  return Lowering(graph, rules, mesh).run();
}

}  // namespace lockstep::plan
