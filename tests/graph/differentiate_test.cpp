// Reverse-mode differentiation by graph rewriting: which ops it writes, and in which order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "reference_trainer/graph/gradients.h"
#include "tests/graph/small_graph.h"
#include "tests/test_name.h"
#include "workloads/data/workload.h"

namespace lockstep::graph {
namespace {

using testing::classes_from;
using ::testing::ElementsAre;
using testing::lines_of;

std::vector<std::string> backward_of(const std::string& ops) {
  const Graph graph = differentiate(build(testing::workload_text(ops)));
  return lines_of(graph, static_cast<size_t>(graph.forward_ops));
}

TEST(Differentiate, WritesTheBackwardPassInReverse) {
  EXPECT_THAT(backward_of(testing::small_mlp()),
              ElementsAre("softmax_cross_entropy_grad loss.grad(top, label, loss.lse) -> d top",
                          "linear_grad_weight top.grad_weight(fc.relu, d top) -> d top.weight, d top.bias",
                          "linear_grad_input top.grad_input(d top, top.weight) -> d fc.relu",
                          "relu_grad fc.relu.grad(d fc.relu, fc.relu) -> d fc",
                          "linear_grad_weight fc.grad_weight(vector, d fc) -> d fc.weight, d fc.bias"))
      << "and no gradient of the input";
}

TEST(Differentiate, AddsWhereAValueHasSeveralReaders) {
  const std::string residual = R"({"op": "linear", "name": "a", "in": "vector", "out": {"hidden": 6}},
                                  {"op": "gelu", "name": "g", "in": "a"},
                                  {"op": "add", "name": "s", "in": ["a", "g"]})" +
                               classes_from("s");
  EXPECT_THAT(backward_of(residual),
              ElementsAre("softmax_cross_entropy_grad loss.grad(top, label, loss.lse) -> d top",
                          "linear_grad_weight top.grad_weight(s, d top) -> d top.weight, d top.bias",
                          "linear_grad_input top.grad_input(d top, top.weight) -> d s",
                          "gelu_grad g.grad(d s, a) -> d a", "add d a 1 sum(d s, d a) -> d a 1",
                          "linear_grad_weight a.grad_weight(vector, d a 1) -> d a.weight, d a.bias"))
      << "the add op itself costs no op";
}

TEST(Differentiate, OfATensorAddedToItself) {
  const std::string twice = R"({"op": "linear", "name": "a", "in": "vector", "out": {"hidden": 6}},
                               {"op": "add", "name": "s", "in": ["a", "a"]})" +
                            classes_from("s");
  EXPECT_THAT(backward_of(twice), ::testing::Contains("add d a sum(d s, d s) -> d a"));
}

TEST(Differentiate, SumsTheGradientsOfTiedWeights) {
  const Graph graph = differentiate(build(testing::workload_text(R"(
      {"op": "embedding", "name": "e", "in": "tokens", "vocab": 9, "out": {"hidden": 4}},
      {"op": "linear", "name": "head", "in": "e", "out": {"vocab": 9}, "weight": "e.table"},
      {"op": "softmax_cross_entropy", "name": "loss", "in": ["head", "targets"]})")));
  EXPECT_THAT(lines_of(graph, static_cast<size_t>(graph.forward_ops)),
              ElementsAre("softmax_cross_entropy_grad loss.grad(head, targets, loss.lse) -> d head",
                          "linear_grad_weight head.grad_weight(e, d head) -> d e.table",
                          "linear_grad_input head.grad_input(d head, e.table) -> d e",
                          "embedding_grad e.grad(tokens, d e) -> d e.table 1",
                          "add d e.table 2 sum(d e.table, d e.table 1) -> d e.table 2"));
  EXPECT_THAT(parameter_gradients(graph), ElementsAre(graph.find("d e.table 2")));
}

TEST(Differentiate, LeavesOutWhatNobodyReads) {
  // "side" does not reach the loss and has no parameters: no gradient op of it.
  const std::string side = R"({"op": "gelu", "name": "side", "in": "vector"}, )" + testing::small_mlp();
  for (const std::string& line : backward_of(side)) EXPECT_THAT(line, ::testing::Not(::testing::HasSubstr("side")));
}

class EveryWorkload : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryWorkload, HasOneGradientAParameterAndWritesBeforeItReads) {
  const Graph graph =
      differentiate(build(workloads::resolve(LOCKSTEP_SOURCE_DIR "/workloads", GetParam(), "micro", {}).json()));
  const std::vector<TensorId> gradients = parameter_gradients(graph);
  EXPECT_EQ(std::set<TensorId>(gradients.begin(), gradients.end()).size(), graph.parameters.size());
  EXPECT_EQ(std::count_if(graph.tensors.begin(), graph.tensors.end(),
                          [](const Tensor& t) { return t.role == Role::gradient; }),
            static_cast<std::ptrdiff_t>(graph.parameters.size()));
  for (size_t i = 0; i < gradients.size(); ++i) {
    ASSERT_NE(gradients[i], kNoTensor);
    EXPECT_EQ(graph.tensor(gradients[i]).of, graph.parameters[i]);
    EXPECT_EQ(graph.tensor(gradients[i]).shape, graph.tensor(graph.parameters[i]).shape);
  }
  std::set<TensorId> written;
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const Role role = graph.tensors[t].role;
    if (role == Role::input || role == Role::parameter || role == Role::state) written.insert(static_cast<TensorId>(t));
  }
  for (const Op& op : graph.ops) {
    for (TensorId id : op.in) EXPECT_TRUE(written.contains(id)) << op.name << " reads " << graph.tensor(id).name;
    for (TensorId id : op.out) EXPECT_TRUE(written.insert(id).second) << graph.tensor(id).name << " is written twice";
    for (TensorId id : op.out) EXPECT_NE(graph.tensor(id).role, Role::input);
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryWorkload,
                         ::testing::Values("mlp-digits", "mlp-fashion", "cnn-fashion", "gpt-austen", "lstm-austen"),
                         [](const auto& info) { return test_name({info.param}); });

}  // namespace
}  // namespace lockstep::graph
