// Activations merged into the op before them, where nobody else reads the value in between.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference_trainer/graph/fuse.h"
#include "reference_trainer/graph/gradients.h"
#include "tests/graph/small_graph.h"

namespace lockstep::graph {
namespace {

using testing::classes_from;
using ::testing::ElementsAre;
using testing::op_named;

Graph fused(const std::string& ops) { return fuse_activations(differentiate(build(testing::workload_text(ops)))); }

std::vector<std::string> forward_of(const Graph& graph) {
  std::vector<std::string> names;
  for (int32_t i = 0; i < graph.forward_ops; ++i) names.push_back(graph.ops[static_cast<size_t>(i)].name);
  return names;
}

TEST(Fuse, MergesReluAndTanhIntoLinearAndConv) {
  const Graph graph = fused(R"(
      {"op": "conv2d", "name": "c", "in": "image", "out": {"chan_out": 2}, "kernel": 3, "activation": "relu"},
      {"op": "linear", "name": "f", "in": "c", "out": {"hidden": 6}, "activation": "tanh"})" +
                            classes_from("f"));
  EXPECT_THAT(forward_of(graph), ElementsAre("c", "f", "top", "loss"));
  EXPECT_EQ(op_named(graph, "c").attr.activation, OpKind::relu);
  EXPECT_EQ(op_named(graph, "f").attr.activation, OpKind::tanh);
  EXPECT_EQ(op_named(graph, "f").out[0], graph.find("f.tanh"));
  EXPECT_EQ(op_named(graph, "top").attr.activation, OpKind::none);
  EXPECT_EQ(graph.ops.size(), 4 + 8u) << "the backward pass stays as it was: 1 of the loss, 2 of top, 3 of f, 2 of c";
}

TEST(Fuse, LeavesGeluAloneAsItsGradientReadsItsInput) {
  const Graph graph = fused(R"({"op": "linear", "name": "f", "in": "vector", "out": {"hidden": 6},
                                "activation": "gelu"})" +
                            classes_from("f"));
  EXPECT_THAT(forward_of(graph), ElementsAre("f", "f.gelu", "top", "loss"));
}

TEST(Fuse, LeavesAValueAloneThatSomebodyElseReads) {
  const Graph graph = fused(R"({"op": "linear", "name": "f", "in": "vector", "out": {"hidden": 6}},
                               {"op": "relu", "name": "r", "in": "f"},
                               {"op": "add", "name": "s", "in": ["f", "r"]})" +
                            classes_from("s"));
  EXPECT_THAT(forward_of(graph), ElementsAre("f", "r", "s", "top", "loss"));
  EXPECT_EQ(op_named(graph, "f").attr.activation, OpKind::none);
}

TEST(Fuse, MergesOneActivationOnly) {
  const Graph graph = fused(R"({"op": "linear", "name": "f", "in": "vector", "out": {"hidden": 6}},
                               {"op": "relu", "name": "r", "in": "f"}, {"op": "tanh", "name": "t", "in": "r"})" +
                            classes_from("t"));
  EXPECT_THAT(forward_of(graph), ElementsAre("f", "t", "top", "loss"));
  EXPECT_EQ(op_named(graph, "f").attr.activation, OpKind::relu);
}

TEST(Fuse, LeavesAnActivationOfAnotherOpAlone) {
  const Graph graph = fused(R"({"op": "layer_norm", "name": "n", "in": "rows"},
                               {"op": "relu", "name": "r", "in": "n"})" +
                            testing::words_from("r"));
  EXPECT_THAT(forward_of(graph), ElementsAre("n", "r", "top", "loss"));
}

}  // namespace
}  // namespace lockstep::graph
