#include "reference_trainer/kernels/onednn/compiler.h"

#include <algorithm>

#include "adapters/contract/invariant.h"
#include "reference_trainer/graph/cost.h"
#include "reference_trainer/kernels/onednn/table.h"

namespace lockstep::kernels::onednn {

using graph::TensorId;
namespace {

dnnl::memory::data_type data_type_of(graph::Type type) {
  if (type == graph::Type::bf16) return dnnl::memory::data_type::bf16;
  return type == graph::Type::fp16 ? dnnl::memory::data_type::f16 : dnnl::memory::data_type::f32;
}

constexpr double kFlopsPerSecond = 5e10, kBytesPerSecond = 2e10;  // a core's order of magnitude

}  // namespace

Compiler::Compiler(const graph::Graph& graph, const CompileOptions& options)
    : graph_(graph), options_(options), code_(vector_code()), versions_(graph.tensors.size()) {
  result_.needs = plain_buffers(graph, options);
}

Compiled Compiler::compile() {
  for (op_ = 0; op_ < ops_to_run(graph_, options_); ++op_) {
    const graph::Op& op = graph_.ops[static_cast<size_t>(op_)];
    result_.steps.emplace_back();
    if (options_.weights_change && op_ == graph_.forward_ops) forget_parameters();
    compiler_of(op.kind)(*this, op);
    for (Step& step : after_) result_.steps.back().push_back(std::move(step));
    after_.clear();
  }
  return std::move(result_);
}

int Compiler::threads() const {
  const graph::Op& op = graph_.ops[static_cast<size_t>(op_)];
  const double flops = static_cast<double>(graph::flops(graph_, op, options_.batch));
  const double bytes = static_cast<double>(graph::bytes(graph_, op, options_.batch, sizeof(float)));
  const double seconds = std::max(flops / kFlopsPerSecond, bytes / kBytesPerSecond);
  for (int threads = options_.threads; threads > 1; --threads) {
    if (seconds >= threads * options_.seconds_worth_a_thread) return threads;
  }
  return 1;
}

void Compiler::forget_parameters() {
  for (TensorId id : graph_.parameters) versions_[static_cast<size_t>(id)].clear();
}

Format Compiler::plain(TensorId id) const {
  const Operand x = operand(id);
  dnnl::memory::dims dims(x.dims.begin(), x.dims.end()), strides(dims.size(), 1);
  if (dims.empty()) dims = strides = {1};
  for (size_t axis = dims.size() - 1; axis > 0; --axis) strides[axis - 1] = strides[axis] * dims[axis];
  return {dims, data_type_of(tensor(id).type), strides};
}

Format Compiler::format(TensorId id) const {
  const auto& known = versions_[static_cast<size_t>(id)];
  return known.empty() ? plain(id) : known.front().format;
}

Slot Compiler::in(TensorId id) {
  return tensor(id).type == graph::Type::index || versions(id).empty() ? slot(id) : in(id, plain(id));
}

Slot Compiler::in(TensorId id, const Format& format) {
  if (versions(id).empty()) versions(id).push_back({plain(id), id});
  const auto& known = versions(id);
  auto found = std::find_if(known.begin(), known.end(), [&](const Version& v) { return v.format == format; });
  if (found == known.end()) {
    const Version made{format, own_buffer(static_cast<int64_t>(format.get_size()))};
    reorder(known.front(), made, result_.steps.back());
    versions(id).push_back(made);
    return slot(made.buffer);
  }
  BufferNeed& memory = need(root(found->buffer));
  memory.last_op = std::max(memory.last_op, op_);
  return slot(found->buffer);
}

Slot Compiler::out(TensorId id) { return slot(id); }

Slot Compiler::out(TensorId id, const Format& format) {
  if (format == plain(id)) return slot(id);
  const bool hidden = tensor(id).role == graph::Role::activation;
  const auto bytes = static_cast<int64_t>(format.get_size());
  const Version made{format, hidden ? id : own_buffer(bytes)};
  versions(id).push_back(made);
  if (hidden) {
    need(id).bytes = std::max(need(id).bytes, bytes);
  } else {
    const Version dense{plain(id), id};
    reorder(made, dense, after_);
    versions(id).push_back(dense);
  }
  return slot(made.buffer);
}

Slot Compiler::out_over(TensorId id, TensorId over, const Format& format) {
  if (tensor(id).role != graph::Role::activation || over >= id || !may_overwrite(over, format)) return out(id, format);
  alias(id, over);
  versions(id).push_back({format, id});
  return slot(id);
}

bool Compiler::share(TensorId id, TensorId of) {
  const bool hidden = tensor(id).role == graph::Role::activation && tensor(of).role == graph::Role::activation;
  if (!hidden || of >= id || !(format(of) == plain(of))) return false;
  alias(id, of);
  return true;
}

Slot Compiler::scratch(int64_t bytes) { return slot(own_buffer(bytes)); }

Slot Compiler::opaque_out(TensorId id, int64_t bytes) {
  need(id).bytes = std::max(need(id).bytes, bytes);
  return slot(id);
}

void Compiler::add(Step step) { result_.steps.back().push_back(std::move(step)); }

void Compiler::add(const dnnl::primitive& primitive, const std::vector<Argument>& arguments) {
  add(step_of(primitive, arguments));
}

int32_t Compiler::own_buffer(int64_t bytes) {
  result_.needs.push_back({.bytes = std::max<int64_t>(bytes, 4), .first_op = op_, .last_op = op_});
  return static_cast<int32_t>(result_.needs.size()) - 1;
}

int32_t Compiler::root(int32_t buffer) const {
  const int32_t alias = result_.needs[static_cast<size_t>(buffer)].alias;
  return alias < 0 ? buffer : alias;
}

/// When nobody reads the memory after this op, neither as this tensor nor as one that shares it.
bool Compiler::may_overwrite(TensorId id, const Format& format) const {
  const BufferNeed& memory = result_.needs[static_cast<size_t>(root(id))];
  return tensor(id).role == graph::Role::activation && tensor(memory.tensor).role == graph::Role::activation &&
         this->format(id) == format && memory.last_op <= op_;
}

/// The root's need covers all who share it: its lifetime and its size.
void Compiler::alias(TensorId id, TensorId onto) {
  BufferNeed &mine = need(id), &memory = need(root(onto));
  mine.alias = root(onto);
  memory.last_op = std::max(memory.last_op, mine.last_op);
  memory.bytes = std::max(memory.bytes, mine.bytes);
}

void Compiler::reorder(const Version& from, const Version& to, std::vector<Step>& steps) {
  const dnnl::reorder::primitive_desc desc(engine_, from.format, engine_, to.format);
  steps.push_back(step_of(dnnl::reorder(desc), {{DNNL_ARG_FROM, from.format, slot(from.buffer)},
                                                {DNNL_ARG_TO, to.format, slot(to.buffer)}}));
}

Step Compiler::step_of(const dnnl::primitive& primitive, const std::vector<Argument>& arguments) {
  auto bound = std::make_shared<Primitive>(engine_, stream_, primitive, arguments);
  result_.primitives.push_back(bound);
  return [bound](const StepContext&) { bound->run(); };
}

}  // namespace lockstep::kernels::onednn
