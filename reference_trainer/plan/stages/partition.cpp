#include "reference_trainer/plan/stages/partition.h"

#include <algorithm>
#include <set>

#include "adapters/contract/invariant.h"
#include "reference_trainer/plan/stages/backward.h"
#include "reference_trainer/plan/stages/cost.h"

namespace lockstep::stages {

using graph::Graph;
using graph::kNoTensor;
using graph::Op;
using graph::TensorId;

namespace {

class Partitioner {
 public:
  Partitioner(const Graph& graph, const Cut& cut) : graph_(graph), cut_(cut), backward_(graph) {}

  Partition run() {
    place_ops();
    for (int s = 0; s + 1 < cut_.stages(); ++s) out_.borders.push_back(border(cut_.begins[static_cast<size_t>(s) + 1]));
    list_ops();
    for (int s = 0; s < cut_.stages(); ++s) split_backward(s);
    for (const TensorId parameter : graph_.parameters) note_owners(parameter);
    return std::move(out_);
  }

 private:
  int32_t end_of(int stage) const {
    return stage + 1 < cut_.stages() ? cut_.begins[static_cast<size_t>(stage) + 1] : graph_.forward_ops;
  }

  /// A backward op lies where its forward op does; but a parameter's gradients of two stages are summed by an exchange.
  void place_ops() {
    std::vector<int32_t> stage_of_tensor(graph_.tensors.size(), -1);
    for (size_t i = 0; i < graph_.ops.size(); ++i) {
      const Op& op = graph_.ops[i];
      const int32_t stage = cut_.stage_of(backward_.forward_of(static_cast<int32_t>(i)));
      for (const TensorId id : op.out) stage_of_tensor[static_cast<size_t>(id)] = stage;
      out_.stage_of_op.push_back(stage);
      if (static_cast<int32_t>(i) < graph_.forward_ops || op.kind != graph::OpKind::add) continue;
      const bool parameter = graph_.tensor(graph_.tensor(op.out[0]).of).role == graph::Role::parameter;
      if (!parameter || stage_of_tensor[static_cast<size_t>(op.in[0])] == stage) continue;
      out_.stage_of_op.back() = kOwnersSum;
      out_.stands_for[op.out[0]] = op.in[1];
    }
  }

  Border border(int32_t cut) const {
    Border out{border_tensors(graph_, cut), {}};
    for (const TensorId id : out.forward) out.backward.push_back(backward_.gradient_from(id, cut));
    return out;
  }

  void list_ops() {
    out_.stages.resize(static_cast<size_t>(cut_.stages()));
    for (size_t i = 0; i < graph_.ops.size(); ++i) {
      if (out_.stage_of_op[i] == kOwnersSum) continue;
      StageOps& stage = out_.stages[static_cast<size_t>(out_.stage_of_op[i])];
      const auto op = static_cast<int32_t>(i);
      (op < graph_.forward_ops ? stage.forward : stage.backward).push_back(op);
    }
    for (int s = 0; s < cut_.stages(); ++s) {
      out_.stages[static_cast<size_t>(s)].parameters =
          parameters_of(graph_, cut_.begins[static_cast<size_t>(s)], end_of(s));
    }
  }

  /// From the gradients for the stage before, backwards through what they are made from.
  void split_backward(int s) {
    StageOps& stage = out_.stages[static_cast<size_t>(s)];
    std::set<TensorId> needed;
    if (s > 0) {
      const auto& sent = out_.borders[static_cast<size_t>(s) - 1].backward;
      needed.insert(sent.begin(), sent.end());
    }
    for (auto op = stage.backward.rbegin(); op != stage.backward.rend(); ++op) {
      const auto& [kind, name, in, results, attr] = graph_.ops[static_cast<size_t>(*op)];
      const bool reaches = std::ranges::any_of(results, [&](TensorId id) { return needed.contains(id); });
      (reaches ? stage.input_gradient : stage.weight_gradient).push_back(*op);
      if (reaches) needed.insert(in.begin(), in.end());
    }
    std::ranges::reverse(stage.input_gradient);
    std::ranges::reverse(stage.weight_gradient);
  }

  void note_owners(TensorId parameter) {
    Tied tied{parameter, {}, {}};
    for (int s = 0; s < cut_.stages(); ++s) {
      const auto& mine = out_.stages[static_cast<size_t>(s)].parameters;
      if (std::ranges::find(mine, parameter) == mine.end()) continue;
      tied.owners.push_back(s);
      tied.gradients.push_back(out_.resolved(backward_.gradient_from(parameter, cut_.begins[static_cast<size_t>(s)])));
    }
    if (tied.owners.size() > 1) out_.tied.push_back(std::move(tied));
  }

  const Graph& graph_;
  const Cut& cut_;
  Backward backward_;
  Partition out_;
};

}  // namespace

TensorId Partition::resolved(TensorId tensor) const {
  const auto found = stands_for.find(tensor);
  return found == stands_for.end() ? tensor : found->second;
}

Partition partition(const Graph& differentiated, const Cut& cut) {
  LOCKSTEP_INVARIANT(!cut.begins.empty() && cut.begins[0] == 0, "a cut of {} stages", cut.stages());
  return Partitioner(differentiated, cut).run();
}

}  // namespace lockstep::stages
