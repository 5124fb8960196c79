#include "reference_trainer/graph/builder.h"

#include "adapters/contract/failure.h"
#include "adapters/contract/nearest.h"
#include "reference_trainer/graph/op_table.h"

namespace lockstep::graph {

double OpSpec::number(const std::string& key, double otherwise) const {
  const auto found = numbers.find(key);
  return found == numbers.end() ? otherwise : found->second;
}

bool OpSpec::flag(const std::string& key, bool otherwise) const {
  const auto found = flags.find(key);
  return found == flags.end() ? otherwise : found->second;
}

std::string describe(const Shape& shape) {
  std::string text;
  for (const Extent& extent : shape) {
    if (!text.empty()) text += ", ";
    text +=
        extent.dim == Dim::batch ? std::string(name(extent.dim)) : fmt::format("{} {}", name(extent.dim), extent.size);
  }
  return "[" + text + "]";
}

void Builder::refuse(const OpSpec& spec, const std::string& rule) const {
  lockstep::refuse({"", fmt::format("graph op \"{}\" ({})", spec.name, spec.op), "", rule, ""});
}

TensorId Builder::add_tensor(Tensor tensor) {
  graph.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(graph.tensors.size()) - 1;
}

TensorId Builder::input(const std::string& name, Shape shape, Type type) {
  const TensorId id = add_tensor({name, std::move(shape), type, Role::input, {}, kNoTensor});
  publish(name, id);
  return id;
}

TensorId Builder::activation(const std::string& name, Shape shape, Type type) {
  return add_tensor({name, std::move(shape), type, Role::activation, {}, kNoTensor});
}

TensorId Builder::parameter(const std::string& name, Shape shape, Init init) {
  const TensorId id = add_tensor({name, std::move(shape), Type::real, Role::parameter, std::move(init), kNoTensor});
  graph.parameters.push_back(id);
  return id;
}

TensorId Builder::state(const std::string& name, Shape shape, Init init) {
  return add_tensor({name, std::move(shape), Type::real, Role::state, std::move(init), kNoTensor});
}

TensorId Builder::metric(const std::string& name) {
  return add_tensor({name, {}, Type::real, Role::metric, {}, kNoTensor});
}

TensorId Builder::named(const OpSpec& spec, size_t index) const {
  if (index >= spec.in.size())
    refuse(spec, fmt::format("it needs at least {} inputs, \"in\" names {}", index + 1, spec.in.size()));
  const auto found = published_.find(spec.in[index]);
  if (found != published_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [name, id] : published_) names.push_back(name);
  refuse(spec,
         fmt::format("its input \"{}\" is neither an input of the workload nor an op before it; the nearest is \"{}\"",
                     spec.in[index], nearest(spec.in[index], names)));
}

TensorId Builder::tied(const OpSpec& spec, const std::string& name) const {
  std::vector<std::string> names;
  for (TensorId id : graph.parameters) {
    if (graph.tensor(id).name == name) return id;
    names.push_back(graph.tensor(id).name);
  }
  refuse(spec,
         fmt::format("no op before it has a parameter \"{}\"; the nearest is \"{}\"", name, nearest(name, names)));
}

void Builder::finish(const OpSpec& spec, TensorId result) {
  const auto activation = spec.texts.find("activation");
  if (activation == spec.texts.end()) return publish(spec.name, result);
  for (const OpRow& row : op_table()) {
    const bool pointwise = row.kind == OpKind::relu || row.kind == OpKind::gelu || row.kind == OpKind::tanh;
    if (!pointwise || name(row.kind) != activation->second) continue;
    publish(spec.name, result);
    OpSpec chained{activation->second, spec.name + "." + activation->second, {spec.name}, {}, {}, {}, {}, {}, {}};
    row.build(*this, chained);
    return publish(spec.name, published_.at(chained.name));
  }
  refuse(spec, fmt::format("\"activation\" is \"{}\"; known are relu, gelu and tanh", activation->second));
}

}  // namespace lockstep::graph
