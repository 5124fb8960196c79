#include "tests/kernels/case_graph.h"

namespace lockstep::kernels::testing {

using graph::OpKind;
using graph::Role;
using graph::Shape;
using graph::TensorId;
using graph::Type;

TensorId CaseGraph::add(const std::string& name, Shape shape, Role role, Type type, int64_t bound) {
  graph.tensors.push_back({.name = name, .shape = std::move(shape), .type = type, .role = role});
  bounds.push_back(bound);
  return static_cast<TensorId>(graph.tensors.size() - 1);
}

TensorId CaseGraph::input(const std::string& name, Shape shape) { return add(name, std::move(shape), Role::input); }

TensorId CaseGraph::index(const std::string& name, Shape shape, int64_t bound) {
  return add(name, std::move(shape), Role::input, Type::index, bound);
}

TensorId CaseGraph::parameter(const std::string& name, Shape shape) {
  graph.parameters.push_back(add(name, std::move(shape), Role::parameter));
  return graph.parameters.back();
}

TensorId CaseGraph::state(const std::string& name, Shape shape) { return add(name, std::move(shape), Role::state); }

TensorId CaseGraph::activation(const std::string& name, Shape shape, Type type) {
  return add(name, std::move(shape), Role::activation, type);
}

TensorId CaseGraph::output(const std::string& name, Shape shape) { return add(name, std::move(shape), Role::metric); }

TensorId CaseGraph::gradient(TensorId of) {
  const TensorId id = add("d(" + graph.tensor(of).name + ")", shape(of), Role::gradient);
  graph.tensors[static_cast<size_t>(id)].of = of;
  return id;
}

TensorId CaseGraph::seed(TensorId y) {
  const TensorId dy = input("d" + graph.tensor(y).name, shape(y));
  seeds.emplace_back(y, dy);
  return dy;
}

void CaseGraph::forward(OpKind kind, std::vector<TensorId> in, std::vector<TensorId> out,
                        const graph::Attributes& attr) {
  graph.ops.push_back({kind, "op", std::move(in), std::move(out), attr});
  graph.forward_ops = static_cast<int32_t>(graph.ops.size());
}

void CaseGraph::backward(OpKind kind, std::vector<TensorId> in, std::vector<TensorId> out,
                         const graph::Attributes& attr) {
  graph.ops.push_back({kind, "op.grad", std::move(in), std::move(out), attr});
}

Shape batched(std::vector<graph::Extent> rest) {
  rest.insert(rest.begin(), {graph::Dim::batch, 0});
  return rest;
}

}  // namespace lockstep::kernels::testing
