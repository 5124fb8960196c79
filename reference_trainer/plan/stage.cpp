#include "reference_trainer/plan/stage.h"

#include <algorithm>
#include <set>

#include "reference_trainer/plan/stages/partition.h"

namespace lockstep::plan {
namespace {

using graph::Op;
using graph::OpKind;
using graph::Role;
using graph::TensorId;

constexpr int32_t kNowhere = -2;

class Cutter {
 public:
  Cutter(const LocalGraph& local, const std::vector<int32_t>& stage_of_op, int index, const Neighbours& neighbours)
      : local_(local),
        stage_of_op_(stage_of_op),
        index_(index),
        neighbours_(neighbours),
        made_at_(local.graph.tensors.size(), kNowhere) {
    for (size_t i = 0; i < local.graph.ops.size(); ++i) {
      if (stage_of_op[i] == stages::kOwnersSum) continue;
      for (TensorId id : local.graph.ops[i].out) made_at_[static_cast<size_t>(id)] = stage_of_op[i];
    }
  }

  Stage run(int direction) {
    out_.index = index_;
    out_.direction = direction;
    out_.local = local_;
    out_.local.graph.ops.clear();
    find_borders();
    const std::set<TensorId> wanted(to_before_.begin(), to_before_.end());
    std::set<TensorId> needed = wanted;
    std::vector<int32_t> inputs, weights;
    for (int32_t i = ops(); i-- > forward_ops();) {
      if (!here(i)) continue;
      const Op& op = local_.graph.ops[static_cast<size_t>(i)];
      const bool for_input = std::ranges::any_of(op.out, [&](TensorId id) { return needed.contains(id); });
      if (for_input) needed.insert(op.in.begin(), op.in.end());
      (for_input ? inputs : weights).push_back(i);
    }
    std::ranges::reverse(inputs);
    std::ranges::reverse(weights);

    transfer(OpKind::receive, from_before_, neighbours_.before, index_ - 1, false);
    for (int32_t i = 0; i < forward_ops(); ++i) {
      if (here(i)) push(i);
    }
    transfer(OpKind::send, to_next_, neighbours_.next, index_, false);
    out_.local.graph.forward_ops = size();
    transfer(OpKind::receive, from_next_, neighbours_.next, index_ + 1, true);
    for (int32_t i : inputs) push(i);
    transfer(OpKind::send, to_before_, neighbours_.before, index_, true);
    out_.input_end = size();
    for (int32_t i : weights) push(i);
    name_what_is_here();
    return std::move(out_);
  }

 private:
  int32_t ops() const { return static_cast<int32_t>(local_.graph.ops.size()); }
  int32_t forward_ops() const { return local_.graph.forward_ops; }
  int32_t size() const { return static_cast<int32_t>(out_.local.graph.ops.size()); }
  bool here(int32_t op) const { return stage_of_op_[static_cast<size_t>(op)] == index_; }
  void push(int32_t op) { out_.local.graph.ops.push_back(local_.graph.ops[static_cast<size_t>(op)]); }

  /// A tensor that forward makes at stage a and that is read at stage b crosses each border between; a gradient goes
  /// the other way.
  void find_borders() {
    std::set<TensorId> seen_next, seen_before, seen_from_before, seen_from_next;
    std::vector<bool> in_forward(local_.graph.tensors.size(), false);
    for (int32_t i = 0; i < forward_ops(); ++i) {
      for (TensorId id : local_.graph.ops[static_cast<size_t>(i)].out) in_forward[static_cast<size_t>(id)] = true;
    }
    const auto note = [](std::set<TensorId>& seen, std::vector<TensorId>& list, TensorId id) {
      if (seen.insert(id).second) list.push_back(id);
    };
    for (int32_t i = 0; i < ops(); ++i) {
      const int32_t reader = stage_of_op_[static_cast<size_t>(i)];
      if (reader == stages::kOwnersSum) continue;
      for (TensorId id : local_.graph.ops[static_cast<size_t>(i)].in) {
        const int32_t maker = made_at_[static_cast<size_t>(id)];
        if (maker == kNowhere || maker == reader) continue;
        if (in_forward[static_cast<size_t>(id)]) {
          if (maker <= index_ && index_ < reader) note(seen_next, to_next_, id);
          if (maker < index_ && index_ <= reader) note(seen_from_before, from_before_, id);
        } else {
          if (maker >= index_ && index_ > reader) note(seen_before, to_before_, id);
          if (maker > index_ && index_ >= reader) note(seen_from_next, from_next_, id);
        }
      }
    }
    // Both sides list them in one order.
    for (auto* list : {&to_next_, &from_before_, &to_before_, &from_next_}) std::ranges::sort(*list);
  }

  void transfer(OpKind kind, const std::vector<TensorId>& tensors, int peer, int sender, bool backward) {
    if (tensors.empty()) return;
    Op op{kind,
          std::string(backward ? "gradients " : "activations ") + (kind == OpKind::send ? "to " : "from ") +
              (backward == (kind == OpKind::send) ? "the stage before" : "the next stage"),
          {},
          {},
          {}};
    (kind == OpKind::send ? op.in : op.out) = tensors;
    op.attr.exchange = static_cast<int32_t>(out_.borders.size());
    out_.borders.push_back({peer, sender, backward, 0});
    out_.local.graph.ops.push_back(std::move(op));
  }

  /// Tensors that no op here touches are nobody's; of a tied parameter the gradient is this stage's own part.
  void name_what_is_here() {
    graph::Graph& graph = out_.local.graph;
    std::set<TensorId> touched, read;
    for (const Op& op : graph.ops) {
      touched.insert(op.in.begin(), op.in.end());
      touched.insert(op.out.begin(), op.out.end());
      read.insert(op.in.begin(), op.in.end());
    }
    for (size_t t = 0; t < graph.tensors.size(); ++t) {
      if (!touched.contains(static_cast<TensorId>(t))) graph.tensors[t].role = Role::activation;
    }
    std::erase_if(graph.parameters, [&](TensorId id) { return !touched.contains(id); });
    std::erase_if(graph.dropped, [&](TensorId id) { return !touched.contains(id); });
    for (TensorId* metric : {&graph.loss, &graph.correct}) {
      if (!touched.contains(*metric)) *metric = graph::kNoTensor;
    }
    for (const Op& op : graph.ops) {
      for (TensorId id : op.out) {
        graph::Tensor& tensor = graph.tensors[static_cast<size_t>(id)];
        const bool of_parameter = tensor.of != graph::kNoTensor && graph.tensor(tensor.of).role == Role::parameter;
        if (of_parameter && tensor.role == Role::activation && !read.contains(id)) tensor.role = Role::gradient;
      }
    }
  }

  const LocalGraph& local_;
  const std::vector<int32_t>& stage_of_op_;
  const int index_;
  const Neighbours neighbours_;
  std::vector<int32_t> made_at_;  ///< by tensor: the stage whose op makes it
  std::vector<TensorId> from_before_, to_next_, from_next_, to_before_;
  Stage out_;
};

}  // namespace

Stage cut_stage(const LocalGraph& local, const std::vector<int32_t>& stage_of_op, int index, int direction,
                const Neighbours& neighbours) {
  Stage stage = Cutter(local, stage_of_op, index, neighbours).run(direction);
  for (Border& border : stage.borders) border.direction = direction;
  return stage;
}

}  // namespace lockstep::plan
