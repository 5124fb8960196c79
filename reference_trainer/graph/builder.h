#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reference_trainer/graph/graph.h"

namespace lockstep::graph {

/// One entry of a workload's graph list, as plain values: what an op's row builds itself from.
struct OpSpec {
  std::string op, name;
  std::vector<std::string> in;
  Shape out;
  std::map<std::string, double>
      numbers;  ///< epsilon, momentum, rate, vocab, norm_group, begin, size, alpha, choices, ...
  std::map<std::string, std::vector<int64_t>> lists;  ///< kernel, stride, pad, rows: one number or several
  std::map<std::string, std::string> texts;           ///< activation, weight, axis
  std::map<std::string, bool> flags;                  ///< bias, causal
  std::optional<Init> init;

  double number(const std::string& key, double otherwise) const;
  bool flag(const std::string& key, bool otherwise) const;
};

/// Adds tensors and ops to a graph. Refusals name the op and both shapes.
class Builder {
 public:
  Graph graph;
  /// Sum of the auxiliary losses so far, one number a sample, which the loss op adds; kNoTensor: there are none.
  TensorId penalty = kNoTensor;

  TensorId input(const std::string& name, Shape shape, Type type);
  /// The tensor that an op's "in" names; for op X the first output of X (after its activation).
  TensorId named(const OpSpec& spec, size_t index) const;
  TensorId activation(const std::string& name, Shape shape, Type type = Type::real);
  TensorId parameter(const std::string& name, Shape shape, Init init);
  TensorId state(const std::string& name, Shape shape, Init init);
  TensorId metric(const std::string& name);
  /// The parameter "name", made earlier by another op: for tied weights.
  TensorId tied(const OpSpec& spec, const std::string& name) const;
  void add(Op op) { graph.ops.push_back(std::move(op)); }
  /// From now on `name` means this tensor.
  void publish(const std::string& name, TensorId tensor) { published_[name] = tensor; }
  const Shape& shape(TensorId id) const { return graph.tensor(id).shape; }
  /// Adds the op "activation" of the spec, if there is one, and publishes the result under the spec's name.
  void finish(const OpSpec& spec, TensorId result);

  [[noreturn]] void refuse(const OpSpec& spec, const std::string& rule) const;

 private:
  TensorId add_tensor(Tensor tensor);
  std::map<std::string, TensorId> published_;
};

/// "[batch, seq 64, hidden 128]"
std::string describe(const Shape& shape);

}  // namespace lockstep::graph
