#include "reference_trainer/plan/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "adapters/contract/plural.h"
#include "reference_trainer/graph/loops.h"
#include "reference_trainer/plan/choose.h"
#include "reference_trainer/plan/expansions/expansions.h"
#include "reference_trainer/plan/local_builder.h"

namespace lockstep::plan {
namespace {

using graph::Loop;
using graph::Op;
using graph::OpLoops;
using graph::TensorId;

/// The layout in which an op reads or leaves operand `k`: each axis is split as its loop is. A loop that is split but
/// does not index a result leaves the result partial.
Layout layout_of(const OpLoops& nest, size_t k, const LoopSplits& splits) {
  Layout layout;
  for (int8_t loop : nest.operands[k])
    layout.split.push_back(loop < 0 ? std::vector<Axis>{} : splits[static_cast<size_t>(loop)]);
  return layout;
}

/// Over which axes result `k` is a sum of the ranks' results.
std::vector<Axis> sums_of_result(const OpLoops& nest, size_t k, const LoopSplits& splits) {
  std::vector<Axis> sums;
  for (size_t loop = 0; loop < splits.size(); ++loop) {
    const bool counted_once = static_cast<int>(k) == nest.bias && nest.loops[loop].place == Loop::in;
    if (!nest.indexes(k, loop) && !counted_once) sums.insert(sums.end(), splits[loop].begin(), splits[loop].end());
  }
  return sums;
}

/// The sums that an op may leave open: adding and renaming axes are linear, so partial operands give a partial result,
/// and one exchange at the end does for all of them. All operands must be partial alike, over axes that split none of
/// the op's loops: ranks with different parts have nothing to add up. What lives in 16 bits is rounded before it is
/// added to anything, and so its sum is closed first.
std::vector<Axis> open_sums(const graph::Graph& graph, const Op& op, const std::vector<Layout>& layouts,
                            const LoopSplits& splits) {
  if (op.kind != graph::OpKind::add && op.kind != graph::OpKind::reshape) return {};
  const auto rounded = [&](TensorId id) { return graph::is_16_bit(graph.tensor(id).type); };
  if (op.kind == graph::OpKind::add && std::ranges::any_of(op.in, rounded)) return {};
  for (Axis axis : layouts.front().partial) {
    if (std::ranges::any_of(splits, [&](const std::vector<Axis>& split) { return contains(split, axis); })) return {};
  }
  for (const Layout& layout : layouts) {
    if (layout.partial != layouts.front().partial) return {};
  }
  return layouts.front().partial;
}

class Lowering {
 public:
  Lowering(const graph::Graph& graph, std::span<const LayoutRule> rules, const Mesh& mesh, int rank)
      : whole_(graph),
        mesh_(mesh),
        chooser_(graph, rules, mesh),
        builder_(mesh, rank),
        made_(graph.tensors.size(), graph::kNoTensor) {}

  LocalGraph run() {
    for (size_t i = 0; i < whole_.ops.size(); ++i) {
      backward_ = static_cast<int32_t>(i) >= whole_.forward_ops;
      if (static_cast<int32_t>(i) == whole_.forward_ops) end_forward();
      builder_.source = static_cast<int32_t>(i);
      lower_op(whole_.ops[i]);
    }
    if (!backward_) end_forward();
    chooser_.refuse_idle_rules();
    graph::Graph& local = builder_.local().graph;
    for (TensorId id : whole_.parameters) local.parameters.push_back(made(id));
    local.loss = made(whole_.loss), local.correct = made(whole_.correct);
    for (TensorId id : whole_.dropped) local.dropped.push_back(made(id));
    local.positions_per_sample = whole_.positions_per_sample;
    for (graph::Tensor& tensor : local.tensors) {
      if (tensor.of != graph::kNoTensor) tensor.of = made(tensor.of);
    }
    return std::move(builder_.local());
  }

 private:
  TensorId made(TensorId whole) const { return made_[static_cast<size_t>(whole)]; }
  void end_forward() { builder_.local().graph.forward_ops = static_cast<int32_t>(builder_.local().graph.ops.size()); }

  void lower_op(const Op& op) {
    const OpLoops nest = graph::loops_of(whole_, op);
    const LoopSplits splits = chooser_.choose(
        op, nest, [this](TensorId id) { return made(id) == graph::kNoTensor ? nullptr : &builder_.layout(made(id)); });
    const auto [expanded, expanded_axes] = expansion(op, nest, splits);

    Op local = op;
    std::vector<Layout> have;
    const auto left_out = [&, expanded = expanded](TensorId id) {
      return expanded != nullptr && !expanded->without.empty() && whole_.tensor(id).name.ends_with(expanded->without);
    };
    for (size_t k = 0; k < op.in.size(); ++k) {
      if (left_out(op.in[k])) continue;
      bring(op.in[k], layout_of(nest, k, splits));
      have.push_back(builder_.layout(made(op.in[k])));
    }
    const std::vector<Axis> sums = open_sums(whole_, op, have, splits);
    for (size_t k = 0; k < op.in.size(); ++k) {
      Layout want = layout_of(nest, k, splits);
      want.partial = sums;
      if (static_cast<int>(k) == nest.bias) want.partial = split_inside(nest, splits);
      if (left_out(op.in[k])) continue;
      const std::string reader = fmt::format("{} {}", graph::name(op.kind), op.name);
      local.in[k] = static_cast<int>(k) == nest.wide && splits_windows(nest, splits)
                        ? with_halo(op, nest, k, want, reader)
                        : in_layout(op.in[k], want, reader);
    }
    for (size_t k = 0; k < op.out.size(); ++k) {
      if (!left_out(op.out[k])) local.out[k] = result(op, nest, k, splits, sums, expanded);
    }
    if (splits_windows(nest, splits)) narrow_padding(op, nest, splits, local.attr);
    if (expanded != nullptr) {
      expanded->expand(builder_, local, expanded_axes);
    } else {
      builder_.add(local);
    }
    for (size_t k = 0; k < op.out.size(); ++k) {
      if (static_cast<int>(op.in.size() + k) == nest.wide && splits_windows(nest, splits))
        made_[static_cast<size_t>(op.out[k])] = builder_.add_halo_up(made(op.out[k]), op.name);
      if (made(op.out[k]) != graph::kNoTensor) finish(op.out[k], op.name);
    }
  }

  /// Whether an op needs a loop whole that is split all the same.
  static bool is_expanded(const OpLoops& nest, const LoopSplits& splits, size_t loop) {
    return nest.loops[loop].kind == Loop::whole && !splits[loop].empty();
  }

  /// What runs such loops, and the axes that split them; nullptr where there are none.
  static std::pair<const Expansion*, std::vector<Axis>> expansion(const Op& op, const OpLoops& nest,
                                                                  const LoopSplits& splits) {
    std::pair<const Expansion*, std::vector<Axis>> found{nullptr, {}};
    for (size_t i = 0; i < splits.size(); ++i) {
      if (!is_expanded(nest, splits, i)) continue;
      found.first = expansion_of(op.kind, nest.loops[i].dim);
      found.second.insert(found.second.end(), splits[i].begin(), splits[i].end());
    }
    return found;
  }

  std::vector<Axis> split_inside(const OpLoops& nest, const LoopSplits& splits) const {
    std::vector<Axis> axes;
    for (size_t i = 0; i < splits.size(); ++i) {
      if (nest.loops[i].place == Loop::in) axes.insert(axes.end(), splits[i].begin(), splits[i].end());
    }
    return axes;
  }

  /// Tensors that no op makes come into being when first read: inputs whole but for their samples, which a rank gets
  /// its share of; parameters and states as that reader wants them.
  void bring(TensorId id, const Layout& first_reader) {
    if (made(id) != graph::kNoTensor) return;
    const graph::Tensor& tensor = whole_.tensor(id);
    Layout layout = first_reader;
    if (tensor.role == graph::Role::input) {
      layout = replicated(tensor);
      for (Axis axis : kSampleAxes) {
        if (mesh_.size(axis) > 1) layout.split[0].push_back(axis);
      }
    }
    made_[static_cast<size_t>(id)] = builder_.add(tensor, layout);
  }

  /// What is in another layout already is not brought there twice. A gathered or sliced tensor is not kept from forward
  /// to backward, but gathered again: that is the memory that splitting it saves. One that an all_to_all has brought is
  /// as large as before, and kept.
  TensorId in_layout(TensorId id, const Layout& want, const std::string& reader) {
    const TensorId have = made(id);
    if (builder_.layout(have) == want) return have;
    for (const auto& known : converted_) {
      const bool sum = !builder_.layout(have).partial.empty();
      const bool kept = known.backward == backward_ || sum || known.same_size;
      if (known.of == id && known.layout == want && kept) return known.tensor;
    }
    const std::vector<Conversion> steps = plan::convert(builder_.layout(have), want);
    const bool same_size =
        std::ranges::all_of(steps, [](const Conversion& step) { return step.kind == Conversion::all_to_all; });
    const TensorId tensor = builder_.convert(have, want, reader);
    converted_.push_back({id, want, backward_, same_size, tensor});
    return tensor;
  }

  static bool splits_windows(const OpLoops& nest, const LoopSplits& splits) {
    for (size_t i = 0; i < splits.size(); ++i) {
      if (nest.loops[i].kind == Loop::window && !splits[i].empty()) return true;
    }
    return false;
  }

  /// The outputs of a window loop that this rank makes.
  Needed needed_here(const Op& op, const Loop& loop, const std::vector<Axis>& axes, int64_t inputs) const {
    return needed(window_of(op.attr, loop.dim), owned(loop.size, axes, mesh_, builder_.rank()).front(), inputs);
  }

  void narrow_padding(const Op& op, const OpLoops& nest, const LoopSplits& splits, graph::Attributes& attr) const {
    const auto k = static_cast<size_t>(nest.wide);
    const graph::Shape& wide = whole_.tensor(k < op.in.size() ? op.in[k] : op.out[k - op.in.size()]).shape;
    for (size_t i = 0; i < wide.size(); ++i) {
      const int8_t loop = nest.operands[k][i];
      if (loop < 0 || nest.loops[static_cast<size_t>(loop)].kind != Loop::window) continue;
      const Loop& it = nest.loops[static_cast<size_t>(loop)];
      set_padding(attr, it.dim, needed_here(op, it, splits[static_cast<size_t>(loop)], wide[i].size));
    }
  }

  /// Of each axis of the wide operand its window and how many outputs there are; none for other axes.
  static std::vector<AxisWindow> windows_along(const Op& op, const OpLoops& nest) {
    std::vector<AxisWindow> windows;
    for (int8_t loop : nest.operands[static_cast<size_t>(nest.wide)]) {
      const bool is_window = loop >= 0 && nest.loops[static_cast<size_t>(loop)].kind == Loop::window;
      windows.emplace_back();
      if (!is_window) continue;
      const Loop& it = nest.loops[static_cast<size_t>(loop)];
      windows.back() = AxisWindow{window_of(op.attr, it.dim), it.size};
    }
    return windows;
  }

  /// The rank's part of an operand with the neighbours' rows and columns that its windows reach into.
  TensorId with_halo(const Op& op, const OpLoops& nest, size_t k, Layout want, const std::string& reader) {
    for (const Halo& known : halos_) {
      if (known.of == op.in[k] && known.layout == want && known.windows == windows_of(op)) return known.tensor;
    }
    // A window's axis waits as it is, when it is split as the windows are: then only what lies beyond the part is
    // fetched.
    Layout ready = want;
    for (size_t axis = 0; axis < want.split.size(); ++axis) {
      const int8_t loop = nest.operands[k][axis];
      const bool window = loop >= 0 && nest.loops[static_cast<size_t>(loop)].kind == Loop::window;
      if (window && builder_.layout(made(op.in[k])).split[axis] != want.split[axis]) ready.split[axis].clear();
    }
    TensorId id = builder_.convert(made(op.in[k]), ready, reader);
    for (size_t axis = 0; axis < want.split.size(); ++axis) {
      const int8_t loop = nest.operands[k][axis];
      if (loop < 0 || want.split[axis].empty()) continue;
      const Loop& it = nest.loops[static_cast<size_t>(loop)];
      if (it.kind == Loop::window)
        id = builder_.add_halo(id, axis, window_of(op.attr, it.dim), it.size, want.split[axis].front(), reader);
    }
    halos_.push_back({op.in[k], want, windows_of(op), id});
    return id;
  }

  TensorId result(const Op& op, const OpLoops& nest, size_t k, const LoopSplits& splits, const std::vector<Axis>& sums,
                  const Expansion* expanded) {
    Layout layout = layout_of(nest, op.in.size() + k, splits);
    // An expansion has seen to its own loops.
    LoopSplits open = splits;
    for (size_t i = 0; i < open.size(); ++i) {
      if (is_expanded(nest, splits, i) && !expanded->leaves_sums) open[i].clear();
    }
    layout.partial = sums_of_result(nest, op.in.size() + k, open);
    layout.partial.insert(layout.partial.end(), sums.begin(), sums.end());
    const bool wide = static_cast<int>(op.in.size() + k) == nest.wide && splits_windows(nest, splits);
    const TensorId id = wide ? builder_.add_wide(whole_.tensor(op.out[k]), std::move(layout), windows_along(op, nest))
                             : builder_.add(whole_.tensor(op.out[k]), std::move(layout));
    made_[static_cast<size_t>(op.out[k])] = id;
    return id;
  }

  /// A gradient must lie as its parameter; it may stay partial, for buckets to sum. A metric stays partial where each
  /// rank weighs its own samples.
  void finish(TensorId id, const std::string& name) {
    const graph::Tensor& tensor = whole_.tensor(id);
    if (tensor.role != graph::Role::gradient && tensor.role != graph::Role::metric) return;
    const TensorId raw = made(id);
    Layout want = builder_.layout(raw);
    if (tensor.role == graph::Role::gradient) {
      want.split = builder_.layout(made(tensor.of)).split;
      for (const auto& axes : want.split) {
        for (Axis axis : axes) std::erase(want.partial, axis);
      }
    } else {
      std::erase_if(want.partial, [](Axis axis) { return !deals_samples(axis); });
    }
    const TensorId done = builder_.convert(raw, want, name);
    if (done == raw) return;
    graph::Graph& local = builder_.local().graph;
    local.tensors[static_cast<size_t>(raw)].role = graph::Role::activation;
    local.tensors[static_cast<size_t>(raw)].of = graph::kNoTensor;
    local.tensors[static_cast<size_t>(done)].role = tensor.role;
    local.tensors[static_cast<size_t>(done)].of = tensor.of;
    made_[static_cast<size_t>(id)] = done;
  }

  /// What of an op's attributes says which halo it needs.
  using Windows = std::array<Window, 2>;
  static Windows windows_of(const Op& op) {
    return {window_of(op.attr, graph::Dim::height), window_of(op.attr, graph::Dim::width)};
  }
  struct Halo {
    TensorId of;  ///< in the whole graph
    Layout layout;
    Windows windows;
    TensorId tensor;
  };

  struct Converted {
    TensorId of;  ///< in the whole graph
    Layout layout;
    bool backward;
    bool same_size;
    TensorId tensor;
  };

  const graph::Graph& whole_;
  const Mesh& mesh_;
  Chooser chooser_;
  LocalBuilder builder_;
  std::vector<TensorId> made_;  ///< by whole tensor: the local one, as its producer left it
  std::vector<Converted> converted_;
  std::vector<Halo> halos_;
  bool backward_ = false;
};

}  // namespace

std::string group_of_samples(const Op& op) {
  using graph::OpKind;
  const OpKind kind = graph::forward_of(op.kind);
  if (kind == OpKind::batch_norm)
    return op.attr.norm_group ? "norm_group is " + plural(op.attr.norm_group, "sample")
                              : std::string("norm_group is the whole batch");
  if (kind == OpKind::route || kind == OpKind::load_balance)
    return fmt::format("routing_group is {} tokens", op.attr.routing_group);
  return "";
}

LocalGraph lower(const graph::Graph& graph, std::span<const LayoutRule> rules, const Mesh& mesh, int rank) {
  return Lowering(graph, rules, mesh, rank).run();
}

}  // namespace lockstep::plan
