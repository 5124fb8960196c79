#include "reference_trainer/kernels/operand.h"

namespace lockstep::kernels {
namespace {

void touch(BufferNeed& need, const graph::Tensor& tensor, int32_t op, const CompileOptions& options) {
  if (need.bytes == 0) {
    need.bytes = graph::elements(tensor, options.batch) * bytes_per_number(tensor, options.precision);
    need.first_op = op;
  }
  need.last_op = op;
}

}  // namespace

Operand operand_of(const graph::Graph& graph, graph::TensorId id, int64_t batch) {
  Operand operand{.id = id, .tensor = &graph.tensor(id), .shape = &graph.tensor(id).shape};
  for (const graph::Extent& extent : *operand.shape) {
    operand.dims.push_back(graph::positions(extent, batch));
    operand.count *= operand.dims.back();
  }
  return operand;
}

std::vector<Operand> operands_of(const graph::Graph& graph, const std::vector<graph::TensorId>& ids, int64_t batch) {
  std::vector<Operand> operands;
  for (const graph::TensorId id : ids) operands.push_back(operand_of(graph, id, batch));
  return operands;
}

int64_t rows_of(const Operand& operand) {
  int64_t rows = 1;
  for (size_t axis = 0; axis < operand.dims.size(); ++axis) {
    const graph::Dim dim = (*operand.shape)[axis].dim;
    if (dim != graph::Dim::batch && dim != graph::Dim::seq) break;
    rows *= operand.dims[axis];
  }
  return rows;
}

int64_t batch_of(const Operand& operand) {
  if (!graph::has_batch(*operand.shape)) return 1;
  return operand.dims[0] / graph::positions((*operand.shape)[0], 1);
}

int64_t width_of(const Operand& operand) { return operand.dims.empty() ? 1 : operand.dims.back(); }

Around around(const Operand& operand, int axis) {
  Around counts;
  for (int i = 0; i < static_cast<int>(operand.dims.size()); ++i) {
    int64_t& count = i < axis ? counts.outer : i == axis ? counts.positions : counts.inner;
    count *= operand.dims[static_cast<size_t>(i)];
  }
  return counts;
}

Rows rows_of_part(const Operand& operand, size_t axis) {
  return {graph::whole_index(*operand.tensor, axis, 0), operand.dims[axis]};
}

int32_t ops_to_run(const graph::Graph& graph, const CompileOptions& options) {
  return options.training ? static_cast<int32_t>(graph.ops.size()) : graph.forward_ops;
}

std::vector<BufferNeed> plain_buffers(const graph::Graph& graph, const CompileOptions& options) {
  std::vector<BufferNeed> needs(graph.tensors.size());
  for (size_t t = 0; t < needs.size(); ++t) needs[t].tensor = static_cast<graph::TensorId>(t);
  for (int32_t i = 0; i < ops_to_run(graph, options); ++i) {
    const graph::Op& op = graph.ops[static_cast<size_t>(i)];
    for (const auto* ids : {&op.in, &op.out}) {
      for (const graph::TensorId id : *ids) touch(needs[static_cast<size_t>(id)], graph.tensor(id), i, options);
    }
  }
  return needs;
}

int64_t bytes_per_number(const graph::Tensor& tensor, Precision precision) {
  return graph::bytes_of(tensor.type, precision == Precision::fp64 ? 8 : 4);
}

std::string_view dropout_stream(std::string_view op_name) {
  constexpr std::string_view kSuffix = ".grad";
  if (op_name.ends_with(kSuffix)) op_name.remove_suffix(kSuffix.size());
  return op_name;
}

}  // namespace lockstep::kernels
