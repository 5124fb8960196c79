#include "reference_trainer/plan/partition_checkpoints.h"

#include <algorithm>
#include <map>
#include <set>

#include "adapters/contract/failure.h"

namespace lockstep::plan {
namespace {

using graph::Op;
using graph::OpKind;
using graph::TensorId;

class Partition {
 public:
  Partition(Stage& stage, const Mesh& mesh, int rank)
      : stage_(stage), local_(stage.local), graph_(stage.local.graph), mesh_(mesh), rank_(rank) {}

  void run() {
    const std::vector<Op> ops = std::move(graph_.ops);
    const int32_t forward = graph_.forward_ops, input_end = stage_.input_end;
    graph_.ops.clear();
    find_checkpoints(ops, forward);
    for (int32_t i = 0; i < static_cast<int32_t>(ops.size()); ++i) {
      if (i == forward) graph_.forward_ops = static_cast<int32_t>(graph_.ops.size());
      if (i == input_end) stage_.input_end = static_cast<int32_t>(graph_.ops.size());
      Op op = ops[static_cast<size_t>(i)];
      if (i >= forward) {
        for (TensorId& id : op.in) id = gathered(id, op);
      }
      graph_.ops.push_back(op);
      if (i >= forward) continue;
      for (TensorId id : op.out) {
        if (checkpoints_.contains(id)) share_out(id, op);
      }
    }
    if (input_end == static_cast<int32_t>(ops.size())) stage_.input_end = static_cast<int32_t>(graph_.ops.size());
  }

 private:
  struct Checkpoint {
    int axis = 0;  ///< of the tensor, along which it is shared out
    TensorId part = graph::kNoTensor, gathered = graph::kNoTensor;
  };

  /// Made in forward, read in backward, and the same on all tensor-parallel ranks.
  void find_checkpoints(const std::vector<Op>& ops, int32_t forward) {
    std::set<TensorId> read_in_backward;
    for (auto i = static_cast<size_t>(forward); i < ops.size(); ++i)
      read_in_backward.insert(ops[i].in.begin(), ops[i].in.end());
    for (int32_t i = 0; i < forward; ++i) {
      for (TensorId id : ops[static_cast<size_t>(i)].out) {
        const graph::Tensor& tensor = graph_.tensor(id);
        const int axis = longest_axis(tensor);
        const bool keeps = tensor.role == graph::Role::activation && tensor.type != graph::Type::index;
        if (keeps && axis >= 0 && read_in_backward.contains(id) && is_replicated(id)) checkpoints_[id] = {axis};
      }
    }
  }

  bool is_replicated(TensorId id) const {
    const Layout& layout = local_.layouts[static_cast<size_t>(id)];
    return !contains(layout.partial, Axis::tp) &&
           std::ranges::none_of(layout.split, [](const auto& axes) { return contains(axes, Axis::tp); });
  }

  /// -1: none has a position for every rank.
  int longest_axis(const graph::Tensor& tensor) const {
    int longest = -1;
    for (size_t axis = 0; axis < tensor.shape.size(); ++axis) {
      const graph::Extent& extent = tensor.shape[axis];
      if (extent.dim == graph::Dim::batch || extent.size < mesh_.size(Axis::tp)) continue;
      if (longest < 0 || extent.size > tensor.shape[static_cast<size_t>(longest)].size)
        longest = static_cast<int>(axis);
    }
    return longest;
  }

  void share_out(TensorId id, const Op& maker) {
    Checkpoint& checkpoint = checkpoints_.at(id);
    const auto axis = static_cast<size_t>(checkpoint.axis);
    const int64_t size = graph_.tensor(id).shape[axis].size;
    checkpoint.part = add_like(id, " (part)");
    graph_.tensors[static_cast<size_t>(checkpoint.part)].shape[axis].size =
        length(share(size, Axis::tp, mesh_.coordinate(rank_, Axis::tp), mesh_.size(Axis::tp)));
    local_.layouts[static_cast<size_t>(checkpoint.part)].split[axis].push_back(Axis::tp);
    exchange(Conversion::slice, id, checkpoint.part, checkpoint.axis, size, maker);
  }

  /// What backward reads in place of a tensor that was shared out; any other tensor itself.
  TensorId gathered(TensorId id, const Op& reader) {
    const auto found = checkpoints_.find(id);
    if (found == checkpoints_.end()) return id;
    Checkpoint& checkpoint = found->second;
    if (checkpoint.gathered != graph::kNoTensor) return checkpoint.gathered;
    checkpoint.gathered = add_like(id, " (gathered)");
    exchange(Conversion::all_gather, checkpoint.part, checkpoint.gathered, checkpoint.axis,
             graph_.tensor(id).shape[static_cast<size_t>(checkpoint.axis)].size, reader);
    return checkpoint.gathered;
  }

  TensorId add_like(TensorId id, const char* suffix) {
    graph::Tensor copy = graph_.tensor(id);
    copy.name += suffix;
    graph_.tensors.push_back(std::move(copy));
    local_.layouts.push_back(Layout(local_.layouts[static_cast<size_t>(id)]));
    return static_cast<TensorId>(graph_.tensors.size()) - 1;
  }

  /// `size`: of the axis in the longer tensor.
  void exchange(Conversion::Kind kind, TensorId in, TensorId out, int axis, int64_t size, const Op& reader) {
    Exchange entry{{kind, Axis::tp, axis}, Reduction::sum, in, out, {}, {}, ""};
    for (int i = 0; i < mesh_.size(Axis::tp); ++i)
      entry.shares.push_back(share(size, Axis::tp, i, mesh_.size(Axis::tp)));
    entry.why = fmt::format("{} {}: {} of a checkpoint over tp", graph::name(reader.kind), reader.name, name(kind));
    Op op{OpKind::exchange, entry.why, {in}, {out}, {}};
    op.attr.exchange = static_cast<int32_t>(local_.exchanges.size());
    local_.exchanges.push_back(std::move(entry));
    graph_.ops.push_back(std::move(op));
  }

  Stage& stage_;
  LocalGraph& local_;
  graph::Graph& graph_;
  const Mesh& mesh_;
  const int rank_;
  std::map<TensorId, Checkpoint> checkpoints_;
};

}  // namespace

void partition_checkpoints(Plan& plan) {
  if (!plan.strategy.find_pass("recompute")) {
    throw Failure("unsupported",
                  fmt::format("{}: partition_activations shares out checkpoints, which recomputation leaves; "
                              "add recompute:full",
                              text::print(plan.strategy)));
  }
  for (Stage& stage : plan.stages) Partition(stage, plan.mesh, plan.rank).run();
}

}  // namespace lockstep::plan
