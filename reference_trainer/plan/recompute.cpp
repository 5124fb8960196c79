#include "reference_trainer/plan/recompute.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace lockstep::plan {
namespace {

using graph::Op;
using graph::OpKind;
using graph::Role;
using graph::TensorId;

constexpr int kKept = -1;  // of no segment: what such an op makes is kept

bool is_attention(OpKind kind) { return kind == OpKind::attention || kind == OpKind::block_attention; }

std::string_view layer_of(const Op& op) { return std::string_view(op.name).substr(0, op.name.find_first_of(". (")); }

/// The layer of each forward op, counted along the model.
std::vector<int> layers_of(const graph::Graph& graph) {
  std::vector<int> layers;
  for (int32_t i = 0; i < graph.forward_ops; ++i) {
    const auto at = static_cast<size_t>(i);
    const bool same = i > 0 && layer_of(graph.ops[at]) == layer_of(graph.ops[at - 1]);
    layers.push_back(i == 0 ? 0 : layers.back() + (same ? 0 : 1));
  }
  return layers;
}

int layers_a_segment(const text::Term& term, int layers) {
  if (term.find("every")) return term.whole("every", 1);
  const std::string* word = term.find("");
  return word && *word == "sqrt" ? static_cast<int>(std::ceil(std::sqrt(layers))) : 1;
}

/// The segment of each forward op.
std::vector<int> segments_of(const graph::Graph& graph, const text::Term& term) {
  std::vector<int> segments = layers_of(graph);
  const std::string* word = term.find("");
  const bool selective = word && *word == "selective";
  const int each = segments.empty() ? 1 : layers_a_segment(term, segments.back() + 1);
  for (size_t i = 0; i < segments.size(); ++i) {
    const Op& op = graph.ops[i];
    const auto once = [&](TensorId id) {
      const Role role = graph.tensor(id).role;
      return role == Role::state || role == Role::metric;
    };
    const bool runs_once = std::ranges::any_of(op.in, once) || std::ranges::any_of(op.out, once) ||
                           op.kind == OpKind::send || op.kind == OpKind::receive;
    segments[i] = runs_once   ? kKept
                  : selective ? (is_attention(op.kind) ? static_cast<int>(i) : kKept)
                              : segments[i] / each;
  }
  return segments;
}

class Recomputation {
 public:
  Recomputation(Stage& stage, std::vector<int> segments)
      : stage_(stage), graph_(stage.local.graph), segment_(std::move(segments)), maker_(graph_.tensors.size(), -1) {
    for (int32_t i = 0; i < graph_.forward_ops; ++i) {
      for (TensorId id : graph_.ops[static_cast<size_t>(i)].out) maker_[static_cast<size_t>(id)] = i;
    }
    std::set<TensorId> crossing;
    for (int32_t i = 0; i < graph_.forward_ops; ++i) {
      for (TensorId id : graph_.ops[static_cast<size_t>(i)].in) {
        const int32_t maker = maker_[static_cast<size_t>(id)];
        if (maker >= 0 && segment_at(maker) != segment_at(i)) crossing.insert(id);
      }
    }
    crossing_ = std::move(crossing);
  }

  void run() {
    const std::vector<Op> ops = std::move(graph_.ops);
    graph_.ops.assign(ops.begin(), ops.begin() + graph_.forward_ops);
    const int32_t input_end = stage_.input_end;
    for (int32_t i = graph_.forward_ops; i < static_cast<int32_t>(ops.size()); ++i) {
      if (i == input_end) stage_.input_end = static_cast<int32_t>(graph_.ops.size());
      Op op = ops[static_cast<size_t>(i)];
      for (TensorId& id : op.in) id = again(id, ops);
      graph_.ops.push_back(std::move(op));
    }
    if (input_end == static_cast<int32_t>(ops.size())) stage_.input_end = static_cast<int32_t>(graph_.ops.size());
  }

 private:
  int segment_at(int32_t op) const { return segment_[static_cast<size_t>(op)]; }

  /// Whether forward leaves the tensor behind: it stays inside its segment.
  bool is_dropped(TensorId id) const {
    const int32_t maker = static_cast<size_t>(id) < maker_.size() ? maker_[static_cast<size_t>(id)] : -1;
    return maker >= 0 && segment_at(maker) != kKept && !crossing_.contains(id);
  }

  /// The tensor itself, or what it is made again as.
  TensorId again(TensorId id, const std::vector<Op>& ops) {
    if (!is_dropped(id)) return id;
    const auto known = again_.find(id);
    if (known != again_.end()) return known->second;
    Op op = ops[static_cast<size_t>(maker_[static_cast<size_t>(id)])];
    for (TensorId& operand : op.in) operand = again(operand, ops);
    for (TensorId& out : op.out) {
      graph::Tensor copy = graph_.tensor(out);
      copy.name += " (again)";
      graph_.tensors.push_back(std::move(copy));
      stage_.local.layouts.push_back(Layout(stage_.local.layouts[static_cast<size_t>(out)]));
      const auto made = static_cast<TensorId>(graph_.tensors.size()) - 1;
      again_[out] = made;
      out = made;
    }
    graph_.ops.push_back(std::move(op));
    return again_.at(id);
  }

  Stage& stage_;
  graph::Graph& graph_;
  const std::vector<int> segment_;  ///< by forward op
  std::vector<int32_t> maker_;      ///< by tensor: the forward op that makes it
  std::set<TensorId> crossing_;     ///< what one segment hands to another
  std::map<TensorId, TensorId> again_;
};

}  // namespace

void recompute(Stage& stage, const text::Strategy& strategy) {
  const text::Term* term = strategy.find_pass("recompute");
  if (term) Recomputation(stage, segments_of(stage.graph(), *term)).run();
}

}  // namespace lockstep::plan
