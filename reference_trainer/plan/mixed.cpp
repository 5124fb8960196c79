#include "reference_trainer/plan/mixed.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "adapters/contract/failure.h"
#include "reference_trainer/graph/fuse.h"

namespace lockstep::plan {
namespace {

using graph::Op;
using graph::OpKind;
using graph::Role;
using graph::TensorId;
using graph::Type;

bool is_loss(OpKind kind) { return kind == OpKind::softmax_cross_entropy || kind == OpKind::binary_cross_entropy; }

/// By tensor: what stays as exact as it was made.
std::vector<bool> exact_ones(const graph::Graph& graph) {
  std::vector<bool> exact(graph.tensors.size(), false);
  const std::vector<bool> fused = graph::takes_activation(graph);
  for (int32_t i = 0; i < graph.forward_ops; ++i) {
    const Op& op = graph.ops[static_cast<size_t>(i)];
    if (is_loss(op.kind) || op.kind == OpKind::route) {
      for (TensorId id : op.in) exact[static_cast<size_t>(id)] = true;
    }
    if (op.kind == OpKind::route) exact[static_cast<size_t>(op.out[0])] = true;
    if (fused[static_cast<size_t>(i)]) exact[static_cast<size_t>(op.out[0])] = true;
  }
  return exact;
}

class Casts {
 public:
  Casts(Stage& stage, Type storage)
      : stage_(stage), graph_(stage.local.graph), storage_(storage), is_weight_(graph_.tensors.size(), false) {
    for (TensorId id : graph_.parameters) is_weight_[static_cast<size_t>(id)] = graph_.tensor(id).shape.size() > 1;
  }

  void run() {
    const std::vector<Op> ops = std::move(graph_.ops);
    graph_.ops.clear();
    const int32_t forward = graph_.forward_ops, input_end = stage_.input_end;
    for (int32_t i = 0; i <= static_cast<int32_t>(ops.size()); ++i) {
      if (i == forward) graph_.forward_ops = stage_.end();
      if (i == input_end) stage_.input_end = stage_.end();
      if (i < static_cast<int32_t>(ops.size())) write(ops[static_cast<size_t>(i)]);
    }
  }

 private:
  bool lives_in_16_bits(TensorId id) const { return graph::is_16_bit(graph_.tensor(id).type); }
  bool is_weight(TensorId id) const {
    return static_cast<size_t>(id) < is_weight_.size() && is_weight_[static_cast<size_t>(id)];
  }

  /// Whether the op hands numbers on as they are.
  bool moves(const Op& op) const {
    if (op.kind == OpKind::send || op.kind == OpKind::receive || op.kind == OpKind::cast) return true;
    return op.kind == OpKind::exchange && graph_.tensor(op.in[0]).type == graph_.tensor(op.out[0]).type;
  }

  void write(Op op) {
    if (op.kind == OpKind::exchange && is_weight(op.in[0])) is_weight_[static_cast<size_t>(op.out[0])] = true;
    if (moves(op)) return graph_.ops.push_back(std::move(op));
    std::map<TensorId, TensorId> read;
    for (TensorId& id : op.in) {
      const auto known = read.find(id);
      id = known != read.end() ? known->second : read.emplace(id, operand(op, id)).first->second;
    }
    std::vector<std::pair<TensorId, TensorId>> results;
    for (TensorId& id : op.out) {
      if (!lives_in_16_bits(id)) continue;
      results.emplace_back(temporary(id, Type::real, "exact"), id);
      id = results.back().first;
    }
    if (op.kind == OpKind::exchange) {
      Exchange& entry = stage_.local.exchanges[static_cast<size_t>(op.attr.exchange)];
      entry.in = op.in[0], entry.out = op.out[0];
    }
    const std::string name = op.name + ".round";
    graph_.ops.push_back(std::move(op));
    for (const auto& [exact, id] : results) cast(name, exact, id);
  }

  /// What the op computes with in place of a tensor.
  TensorId operand(const Op& op, TensorId id) {
    if (is_weight(id)) {
      const TensorId copy = temporary(id, storage_, "16 bits");
      cast(op.name + ".weight", id, copy);
      return widened(op, copy);
    }
    return lives_in_16_bits(id) ? widened(op, id) : id;
  }

  TensorId widened(const Op& op, TensorId id) {
    const TensorId wide = temporary(id, Type::real, "widened");
    cast(op.name + ".widen", id, wide);
    return wide;
  }

  void cast(const std::string& name, TensorId from, TensorId to) {
    graph_.ops.push_back({OpKind::cast, name, {from}, {to}, {}});
  }

  TensorId temporary(TensorId like, Type type, const char* what) {
    graph::Tensor copy = graph_.tensor(like);
    copy.name += fmt::format(" ({})", what);
    copy.type = type, copy.role = Role::activation, copy.of = graph::kNoTensor;
    graph_.tensors.push_back(std::move(copy));
    stage_.local.layouts.push_back(Layout(stage_.local.layouts[static_cast<size_t>(like)]));
    return static_cast<TensorId>(graph_.tensors.size()) - 1;
  }

  Stage& stage_;
  graph::Graph& graph_;
  const Type storage_;
  std::vector<bool> is_weight_;  ///< by tensor: parameters of two or more axes, in whatever layout
};

}  // namespace

Type storage_of(const text::Strategy& strategy) {
  const text::Term* term = strategy.find_pass("amp");
  if (!term) return Type::real;
  const std::string& format = *term->find("");
  if (format == "bf16" && term->find("scale")) {
    throw Failure("unsupported",
                  fmt::format("{}: bf16 has the exponents of fp32, so no gradient is too small for it and "
                              "nothing is scaled; leave scale out, or take amp:fp16",
                              text::print(strategy)));
  }
  if (format == "fp16" && strategy.find_pass("pipedream")) {
    throw Failure(
        "unsupported",
        fmt::format("{}: a step whose scaled gradients overflow is left out by all ranks together, and without a "
                    "flush no step has an end at which they could; take amp:bf16, or 1f1b:m={}",
                    text::print(strategy), strategy.size(Axis::pp)));
  }
  return format == "bf16" ? Type::bf16 : Type::fp16;
}

void mark_storage(graph::Graph& graph, Type storage) {
  if (storage == Type::real) return;
  const std::vector<bool> exact = exact_ones(graph);
  for (int32_t i = 0; i < graph.forward_ops; ++i) {
    const TensorId id = graph.ops[static_cast<size_t>(i)].out[0];
    graph::Tensor& tensor = graph.tensors[static_cast<size_t>(id)];
    const bool is_activation = tensor.role == Role::activation && tensor.type == Type::real;
    const bool has_features = graph::has_batch(tensor.shape) && tensor.shape.size() > 1;
    if (is_activation && has_features && !exact[static_cast<size_t>(id)]) tensor.type = storage;
  }
  // The last gradient of a tensor is the sum of all parts.
  std::map<TensorId, TensorId> gradient_of;
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    if (graph.tensors[i].of != graph::kNoTensor) gradient_of[graph.tensors[i].of] = static_cast<TensorId>(i);
  }
  for (const auto& [of, gradient] : gradient_of)
    graph.tensors[static_cast<size_t>(gradient)].type = graph.tensor(of).type;
}

void keep_sums_real(LocalGraph& local) {
  const auto open = [&](TensorId id) -> bool { return !local.layouts[static_cast<size_t>(id)].partial.empty(); };
  const auto widen = [&](TensorId id) {
    Type& type = local.graph.tensors[static_cast<size_t>(id)].type;
    if (graph::is_16_bit(type)) type = Type::real;
  };
  for (size_t i = 0; i < local.graph.tensors.size(); ++i) {
    if (open(static_cast<TensorId>(i))) widen(static_cast<TensorId>(i));
  }
  for (const Exchange& exchange : local.exchanges) {
    if (exchange.conversion.kind == Conversion::halo_sum) widen(exchange.in);
  }
}

void write_casts(Stage& stage, Type storage) {
  if (storage != Type::real) Casts(stage, storage).run();
}

}  // namespace lockstep::plan
