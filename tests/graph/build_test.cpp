// Graphs from the text of workloads: ops, operands, shapes, first values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reference_trainer/graph/op_table.h"
#include "tests/graph/small_graph.h"

namespace lockstep::graph {
namespace {

using testing::classes_from;
using ::testing::ElementsAre;
using testing::op_named;
using testing::shape_of;
using testing::words_from;
using testing::workload_text;

TEST(Build, SmallNetworkOpByOp) {
  const Graph graph = build(workload_text(testing::small_mlp()));
  EXPECT_THAT(testing::lines_of(graph),
              ElementsAre("linear fc(vector, fc.weight, fc.bias) -> fc", "relu fc.relu(fc) -> fc.relu",
                          "linear top(fc.relu, top.weight, top.bias) -> top",
                          "softmax_cross_entropy loss(top, label) -> loss, loss.correct, loss.lse"));
  EXPECT_EQ(graph.forward_ops, 4);
  EXPECT_EQ(graph.tensor(graph.loss).name, "loss");
  EXPECT_EQ(graph.tensor(graph.correct).name, "loss.correct");
  EXPECT_EQ(graph.positions_per_sample, 1);
  EXPECT_EQ(parameter_count(graph), 4 * 6 + 4 + 10 * 4 + 10);
  EXPECT_EQ(shape_of(graph, "fc.weight"), "[ffn 4, hidden 6]");
  const Tensor& weight = graph.tensor(graph.find("fc.weight"));
  EXPECT_EQ(weight.role, Role::parameter);
  EXPECT_EQ(weight.init.kind, "uniform");
  EXPECT_DOUBLE_EQ(weight.init.scale, 1 / std::sqrt(6.0));
  EXPECT_EQ(graph.tensor(graph.find("fc.bias")).init.kind, "zeros");
}

/// A graph with the op as its first entry, and the shapes that follow.
struct Case {
  const char* name;
  std::string ops;
  std::vector<std::pair<std::string, std::string>> shapes;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::string over_image(const std::string& op) { return op + classes_from("x"); }
std::string over_rows(const std::string& op) { return op + words_from("x"); }

/// A mixture of 3 experts; `keys` are the router's own.
std::string routed(const std::string& keys) {
  return over_rows(R"({"op": "linear", "name": "m", "in": "rows", "out": {"expert": 3}},
                      {"op": "route", "name": "r", "in": "m", "choices": 2, "capacity_factor": 1.5)" +
                   keys + R"(},
                      {"op": "dispatch", "name": "d", "in": ["rows", "r"]},
                      {"op": "expert_linear", "name": "e", "in": "d", "out": {"ffn": 4}},
                      {"op": "combine", "name": "x", "in": ["e", "r"]})");
}

/// Tables of 4, 6 (of 9) and 4 rows beside a vector from numbers.
std::string recommended() {
  return R"({"op": "linear", "name": "m", "in": "vector", "out": {"hidden": 4}},
            {"op": "reshape", "name": "v", "in": "m", "out": {"table": 1, "hidden": 4}},
            {"op": "embedding_bag", "name": "x", "in": "ids", "rows": [4, 9, 4, 100], "max_rows": 6, "out": {"hidden": 4}},
            {"op": "join", "name": "all", "in": ["v", "x"], "axis": "table"},
            {"op": "pairwise_dot", "name": "dots", "in": "all"},
            {"op": "linear", "name": "top", "in": "dots", "out": {"class": 1}},
            {"op": "binary_cross_entropy", "name": "loss", "in": ["top", "label"]})";
}

std::vector<Case> cases() {
  return {
      {"linear",
       over_rows(R"({"op": "linear", "name": "x", "in": "rows", "out": {"gate": 3, "heads": 2}, "bias": false})"),
       {{"x", "[batch, seq 5, gate 3, heads 2]"},
        {"x.weight", "[gate 3, heads 2, hidden 8]"},
        {"x.bias", "no tensor x.bias"}}},
      {"linear_flattens",
       over_image(R"({"op": "linear", "name": "x", "in": "image", "out": {"hidden": 4}})"),
       {{"x", "[batch, hidden 4]"},
        {"x.weight", "[hidden 4, chan_in 3, height 8, width 6]"},
        {"x.bias", "[hidden 4]"}}},
      {"conv2d",
       over_image(R"({"op": "conv2d", "name": "x", "in": "image", "out": {"chan_out": 5}, "kernel": [3, 2],
                      "stride": 2, "pad": [1, 0, 2, 1]})"),
       // (8 + 1 + 0 - 3) / 2 + 1 = 4, (6 + 2 + 1 - 2) / 2 + 1 = 4
       {{"x", "[batch, chan_out 5, height 4, width 4]"},
        {"x.weight", "[chan_out 5, chan_in 3, height 3, width 2]"},
        {"x.bias", "[chan_out 5]"}}},
      {"max_pool",
       over_image(R"({"op": "max_pool", "name": "x", "in": "image", "kernel": 2})"),
       {{"x", "[batch, chan_in 3, height 4, width 3]"}, {"x.argmax", "[batch, chan_in 3, height 4, width 3]"}}},
      {"avg_pool",
       over_image(R"({"op": "avg_pool", "name": "x", "in": "image", "kernel": 3, "stride": 1, "pad": 1})"),
       {{"x", "[batch, chan_in 3, height 8, width 6]"}}},
      {"batch_norm",
       over_image(R"({"op": "batch_norm", "name": "x", "in": "image", "norm_group": 4})"),
       {{"x", "[batch, chan_in 3, height 8, width 6]"},
        {"x.gamma", "[chan_in 3]"},
        {"x.running_var", "[chan_in 3]"},
        {"x.mean", "[batch, chan_in 3]"}}},
      {"layer_norm",
       over_rows(R"({"op": "layer_norm", "name": "x", "in": "rows"})"),
       {{"x", "[batch, seq 5, hidden 8]"}, {"x.beta", "[hidden 8]"}, {"x.rstd", "[batch, seq 5]"}}},
      {"relu", over_image(R"({"op": "relu", "name": "x", "in": "vector"})"), {{"x", "[batch, hidden 6]"}}},
      {"gelu", over_image(R"({"op": "gelu", "name": "x", "in": "vector"})"), {{"x", "[batch, hidden 6]"}}},
      {"tanh", over_image(R"({"op": "tanh", "name": "x", "in": "vector"})"), {{"x", "[batch, hidden 6]"}}},
      {"embedding",
       over_rows(R"({"op": "embedding", "name": "x", "in": "tokens", "vocab": 9, "out": {"hidden": 4}})"),
       {{"x", "[batch, seq 5, hidden 4]"}, {"x.table", "[vocab 9, hidden 4]"}}},
      {"positions",
       over_rows(R"({"op": "positions", "name": "x", "in": "rows"})"),
       {{"x", "[batch, seq 5, hidden 8]"}, {"x.table", "[seq 5, hidden 8]"}}},
      {"attention",
       over_rows(R"({"op": "attention", "name": "x", "in": "qkv"})"),
       {{"x", "[batch, seq 5, heads 2, head_dim 4]"}, {"x.probs", "[batch, heads 2, seq 5, kv_seq 5]"}}},
      {"lstm",
       over_rows(R"({"op": "lstm", "name": "x", "in": "gates"})"),
       {{"x", "[batch, seq 5, hidden 8]"},
        {"x.weight", "[gate 4, hidden 8, hidden 8]"},
        {"x.cell", "[batch, seq 5, hidden 8]"}}},
      {"add", over_rows(R"({"op": "add", "name": "x", "in": ["rows", "rows"]})"), {{"x", "[batch, seq 5, hidden 8]"}}},
      {"reshape",
       over_image(R"({"op": "reshape", "name": "x", "in": "image", "out": {"hidden": 12, "ffn": 12}})"),
       {{"x", "[batch, hidden 12, ffn 12]"}}},
      {"dropout",
       over_image(R"({"op": "dropout", "name": "x", "in": "vector", "rate": 0.25})"),
       {{"x", "[batch, hidden 6]"}, {"sample_ids", "[batch]"}}},
      {"narrow",
       over_rows(R"({"op": "narrow", "name": "m", "in": "rows", "axis": "hidden", "begin": 2, "size": 3},
                    {"op": "relu", "name": "x", "in": "m"})"),
       {{"m", "[batch, seq 5, hidden 3]"}}},
      {"pad",
       over_rows(R"({"op": "pad", "name": "x", "in": "rows", "axis": "hidden", "begin": 2, "size": 10})"),
       {{"x", "[batch, seq 5, hidden 10]"}}},
      {"join",
       over_rows(R"({"op": "join", "name": "x", "in": ["rows", "rows", "rows"], "axis": "hidden"})"),
       {{"x.1", "[batch, seq 5, hidden 16]"}, {"x", "[batch, seq 5, hidden 24]"}}},
      {"local_response_norm",
       over_image(R"({"op": "local_response_norm", "name": "x", "in": "image", "size": 3})"),
       {{"x", "[batch, chan_in 3, height 8, width 6]"}, {"x.scale", "[batch, chan_in 3, height 8, width 6]"}}},
      {"patches",
       over_image(R"({"op": "patches", "name": "m", "in": "image", "size": 2},
                     {"op": "reshape", "name": "x", "in": "m", "out": {"hidden": 144}})"),
       {{"m", "[batch, seq 12, hidden 12]"}}},
      {"select_positions",
       over_rows(R"({"op": "select_positions", "name": "m", "in": ["rows", "tokens"]},
                    {"op": "relu", "name": "x", "in": "m"})"),
       {{"m", "[batch, seq 5, hidden 8]"}}},
      {"route",
       routed(""),
       {{"r", "[batch, seq 5, gate 2]"},
        {"r.slots", "[batch, seq 5, gate 2]"},
        {"r.probs", "[batch, seq 5, expert 3]"},
        {"r.dropped", "[]"},
        {"r.balance", "[batch]"}}},
      // ceil(1.5 * 2 * 5 / 3) places
      {"dispatch", routed(""), {{"d", "[batch, expert 3, capacity 5, hidden 8]"}}},
      {"expert_linear",
       routed(""),
       {{"e", "[batch, expert 3, capacity 5, ffn 4]"},
        {"e.weight", "[expert 3, ffn 4, hidden 8]"},
        {"e.bias", "[expert 3, ffn 4]"}}},
      {"combine", routed(""), {{"x", "[batch, seq 5, ffn 4]"}}},
      {"embedding_bag", recommended(), {{"x", "[batch, table 3, hidden 4]"}, {"x.tables", "[vocab 14, hidden 4]"}}},
      {"pairwise_dot", recommended(), {{"dots", "[batch, hidden 6]"}}},
      {"binary_cross_entropy", recommended(), {{"loss", "[]"}, {"loss.probs", "[batch, class 1]"}}},
      {"class_token",
       over_image(R"({"op": "class_token", "name": "m", "in": "rows"},
                     {"op": "reshape", "name": "x", "in": "m", "out": {"hidden": 48}})"),
       {{"m", "[batch, seq 6, hidden 8]"}, {"m.token", "[hidden 8]"}}},
      {"softmax_cross_entropy",
       over_rows(R"({"op": "relu", "name": "x", "in": "rows"})"),
       {{"loss", "[]"}, {"loss.correct", "[]"}, {"loss.lse", "[batch, seq 5]"}, {"top", "[batch, seq 5, vocab 7]"}}},
  };
}

class BuildsEachOp : public ::testing::TestWithParam<Case> {};

TEST_P(BuildsEachOp, WithTheRightShapes) {
  const Graph graph = build(workload_text(GetParam().ops));
  for (const auto& [tensor, shape] : GetParam().shapes) EXPECT_EQ(shape_of(graph, tensor), shape) << tensor;
}

INSTANTIATE_TEST_SUITE_P(Ops, BuildsEachOp, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Build, EveryKindThatCanBeWrittenIsTested) {
  for (const OpRow& row : op_table()) {
    if (!row.build) continue;
    const auto all = cases();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Case& c) {
      return std::string(c.name) == std::string(name(row.kind));
    })) << name(row.kind);
  }
}

TEST(Build, AttributesOfWindowsAndNorms) {
  const Graph graph = build(workload_text(R"({"op": "conv2d", "name": "c", "in": "image", "out": {"chan_out": 2},
      "kernel": [3, 2], "stride": [2, 1], "pad": [1, 0, 2, 1]},
      {"op": "batch_norm", "name": "n", "in": "c", "epsilon": 0.5, "momentum": 0.25, "norm_group": 4})" +
                                          classes_from("n")));
  const Attributes& window = op_named(graph, "c").attr;
  EXPECT_THAT((std::vector<int64_t>{window.kernel_h, window.kernel_w, window.stride_h, window.stride_w, window.pad_top,
                                    window.pad_bottom, window.pad_left, window.pad_right}),
              ElementsAre(3, 2, 2, 1, 1, 0, 2, 1));
  EXPECT_TRUE(window.has_bias);
  const Attributes& norm = op_named(graph, "n").attr;
  EXPECT_EQ(norm.epsilon, 0.5);
  EXPECT_EQ(norm.momentum, 0.25);
  EXPECT_EQ(norm.norm_group, 4);
}

TEST(Build, PlacesOfAnExpertFollowTheRoutingGroup) {
  const auto places = [](const std::string& keys) {
    return op_named(build(workload_text(routed(keys))), "r").attr.capacity;
  };
  EXPECT_EQ(places(R"(, "routing_group": 5)"), 5);   // ceil(1.5 * 2 * 5 / 3)
  EXPECT_EQ(places(R"(, "routing_group": 1)"), 5);   // 5 groups of ceil(1.5 * 2 * 1 / 3)
  EXPECT_EQ(places(R"(, "routing_group": 10)"), 5);  // a sample's share of two samples' places
}

TEST(Build, TheLossAddsWhatRoutersAsk) {
  const Graph one = build(workload_text(routed(""))), none = build(workload_text(routed(R"(, "balance": 0)")));
  EXPECT_EQ(op_named(one, "loss").in.size(), 3u);
  EXPECT_EQ(op_named(one, "loss").in[2], one.find("r.balance"));
  EXPECT_EQ(op_named(none, "loss").in.size(), 2u);
  EXPECT_EQ(one.dropped.size(), 1u);
}

TEST(Build, TiedWeightsAreOneParameter) {
  const Graph graph = build(workload_text(R"(
      {"op": "embedding", "name": "e", "in": "tokens", "vocab": 9, "out": {"hidden": 4}},
      {"op": "linear", "name": "head", "in": "e", "out": {"vocab": 9}, "weight": "e.table"},
      {"op": "softmax_cross_entropy", "name": "loss", "in": ["head", "targets"]})"));
  EXPECT_EQ(graph.parameters.size(), 1u);
  EXPECT_EQ(op_named(graph, "head").in[1], op_named(graph, "e").in[1]);
  EXPECT_FALSE(op_named(graph, "head").attr.has_bias);
  EXPECT_EQ(graph.positions_per_sample, 5);
}

TEST(Build, AnInitKeyReplacesTheDefault) {
  const Graph graph = build(workload_text(R"({"op": "linear", "name": "x", "in": "vector", "out": {"ffn": 4},
      "init": {"kind": "normal", "scale": 0.5}})" +
                                          classes_from("x")));
  const Init& init = graph.tensor(graph.find("x.weight")).init;
  EXPECT_EQ(init.kind, "normal");
  EXPECT_EQ(init.scale, 0.5);
}

TEST(Build, DropoutTakesTheRecipesRateWhereItNamesNone) {
  const std::string ops = R"({"op": "dropout", "name": "x", "in": "vector"})" + classes_from("x");
  EXPECT_EQ(op_named(build(workload_text(ops, R"({"dropout": 0.25})")), "x").attr.rate, 0.25);
  // A rate of 0 leaves the op out: its name means its input.
  const Graph without = build(workload_text(ops));
  EXPECT_EQ(without.find("sample_ids"), kNoTensor);
  EXPECT_EQ(op_named(without, "top").in[0], without.find("vector"));
}

}  // namespace
}  // namespace lockstep::graph
