// Floating point operations and bytes, worked out by hand.
#include <gtest/gtest.h>

#include "reference_trainer/graph/cost.h"
#include "reference_trainer/graph/gradients.h"
#include "tests/graph/small_graph.h"
#include "workloads/data/workload.h"

namespace lockstep::graph {
namespace {

using testing::classes_from;
using testing::op_named;
using testing::words_from;

Graph whole(const std::string& ops) { return differentiate(build(testing::workload_text(ops))); }

TEST(Flops, LinearCountsTwoAMultiplyAdd) {
  const Graph graph = whole(R"({"op": "linear", "name": "m", "in": "rows", "out": {"ffn": 4}},
                               {"op": "linear", "name": "x", "in": "m", "out": {"gate": 3, "heads": 2}})" +
                            words_from("x"));
  const int64_t one = 2 * 7 * 5 * (3 * 2) * 4;  // batch 7, seq 5, 6 outputs, 4 contracted
  EXPECT_EQ(flops(graph, op_named(graph, "x"), 7), one);
  EXPECT_EQ(flops(graph, op_named(graph, "x.grad_weight"), 7), one);
  EXPECT_EQ(flops(graph, op_named(graph, "x.grad_input"), 7), one);
}

TEST(Flops, Conv2dCountsEveryPointOfTheNest) {
  const Graph graph = whole(R"({"op": "conv2d", "name": "x", "in": "image", "out": {"chan_out": 5}, "kernel": [3, 2],
                                "stride": 2, "pad": 1})" +
                            classes_from("x"));
  // height (8 + 2 - 3) / 2 + 1 = 4, width (6 + 2 - 2) / 2 + 1 = 4
  EXPECT_EQ(flops(graph, op_named(graph, "x"), 3), 2 * 3 * 5 * 4 * 4 * 3 * 3 * 2);
}

TEST(Flops, AttentionCountsBothProductsInFull) {
  const Graph graph = whole(R"({"op": "linear", "name": "m", "in": "rows",
                                "out": {"gate": 3, "heads": 2, "head_dim": 4}},
                               {"op": "attention", "name": "x", "in": "m"})" +
                            words_from("x"));
  const int64_t entries = 3 * 2 * 5 * 5;  // batch, heads, seq, kv_seq
  EXPECT_EQ(flops(graph, op_named(graph, "x"), 3), entries * (2 * 2 * 4 + 5));
  EXPECT_EQ(flops(graph, op_named(graph, "x.grad"), 3), entries * (4 * 2 * 4 + 5));
}

TEST(Flops, LstmCountsRecurrentProductsAndCells) {
  const Graph graph = whole(R"({"op": "lstm", "name": "x", "in": "gates"})" + words_from("x"));
  const int64_t cells = 3 * 5 * 8;  // batch, seq, hidden
  EXPECT_EQ(flops(graph, op_named(graph, "x"), 3), cells * (2 * 4 * 8 + 10));
  EXPECT_EQ(flops(graph, op_named(graph, "x.grad_input"), 3), cells * (2 * 4 * 8 + 24));
  EXPECT_EQ(flops(graph, op_named(graph, "x.grad_weight"), 3), cells * 2 * 4 * 8);
}

TEST(Flops, ElementWiseOpsCountTheirArithmetic) {
  const Graph graph = whole(R"({"op": "max_pool", "name": "p", "in": "image", "kernel": 2},
                               {"op": "linear", "name": "m", "in": "p", "out": {"hidden": 6}},
                               {"op": "gelu", "name": "g", "in": "m"},
                               {"op": "add", "name": "s", "in": ["m", "g"]})" +
                            classes_from("s"));
  EXPECT_EQ(flops(graph, op_named(graph, "p"), 2), 2 * 2 * (2 * 3 * 4 * 3));
  EXPECT_EQ(flops(graph, op_named(graph, "g"), 2), 9 * 2 * 6);
  EXPECT_EQ(flops(graph, op_named(graph, "g.grad"), 2), 18 * 2 * 6);
  EXPECT_EQ(flops(graph, op_named(graph, "s"), 2), 2 * 6);
  EXPECT_EQ(flops(graph, op_named(graph, "loss"), 2), 4 * 2 * 10);
}

TEST(Flops, ExpertsCountEveryPlace) {
  const Graph graph = whole(R"({"op": "linear", "name": "m", "in": "rows", "out": {"expert": 3}},
                               {"op": "route", "name": "r", "in": "m", "choices": 2},
                               {"op": "dispatch", "name": "d", "in": ["rows", "r"]},
                               {"op": "expert_linear", "name": "e", "in": "d", "out": {"ffn": 4}},
                               {"op": "expert_linear", "name": "f", "in": "e", "out": {"hidden": 8}},
                               {"op": "combine", "name": "x", "in": ["f", "r"]})" +
                            words_from("x"));
  const int64_t probabilities = 2 * 5 * 3, places = 2 * 3 * 5, rows = 2 * 5 * 2;  // ceil(1.25 * 2 * 5 / 3) = 5
  EXPECT_EQ(flops(graph, op_named(graph, "r"), 2), probabilities * (5 + 2));
  EXPECT_EQ(flops(graph, op_named(graph, "r.balance"), 2), probabilities * 3);
  EXPECT_EQ(flops(graph, op_named(graph, "d"), 2), 0);
  EXPECT_EQ(flops(graph, op_named(graph, "e"), 2), 2 * places * 8 * 4);
  EXPECT_EQ(flops(graph, op_named(graph, "e.grad_weight"), 2), 2 * places * 8 * 4);
  EXPECT_EQ(flops(graph, op_named(graph, "f.grad_input"), 2), 2 * places * 8 * 4);
  EXPECT_EQ(flops(graph, op_named(graph, "x"), 2), 2 * rows * 8);
  EXPECT_EQ(flops(graph, op_named(graph, "x.grad"), 2), 3 * rows * 8);
}

TEST(Flops, RecommendationCountsRowsAndPairs) {
  const Graph graph =
      whole(R"({"op": "embedding_bag", "name": "x", "in": "ids", "rows": [4, 9, 4], "out": {"hidden": 4}},
                               {"op": "pairwise_dot", "name": "dots", "in": "x"},
                               {"op": "linear", "name": "top", "in": "dots", "out": {"class": 1}},
                               {"op": "binary_cross_entropy", "name": "loss", "in": ["top", "label"]})");
  EXPECT_EQ(flops(graph, op_named(graph, "x"), 7), 7 * 3 * 2 * 4);  // tables, ids of each, width
  EXPECT_EQ(flops(graph, op_named(graph, "x.grad"), 7), 7 * 3 * 2 * 4);
  EXPECT_EQ(flops(graph, op_named(graph, "dots"), 7), 7 * 3 * 2 * 4);  // pairs, two operations, width
  EXPECT_EQ(flops(graph, op_named(graph, "dots.grad"), 7), 7 * 3 * 4 * 4);
}

TEST(ModelFlops, AreThreeTimesTheForwardContractions) {
  const auto of = [](const std::string& id) {
    return model_flops_per_sample(build(workloads::resolve(LOCKSTEP_SOURCE_DIR "/workloads", id, "micro", {}).json()));
  };
  EXPECT_EQ(of("mlp-digits"), 3 * 2 * (64 * 12 + 12 * 8 + 8 * 10));
  // 28 x 28 x 8 of 3 x 3 x 1, 14 x 14 x 12 of 3 x 3 x 8, then 7 x 7 x 12 to 16 to 10.
  EXPECT_EQ(of("cnn-fashion"), 3 * 2 * (784 * 8 * 9 + 196 * 12 * 72 + 588 * 16 + 160));
  // A block: qkv 16 x 48, proj 16 x 16, ffn 2 x 16 x 64 a token; attention 2 heads of 16 x 16 entries.
  const int64_t block = 16 * 2 * (16 * 48 + 16 * 16 + 2 * 16 * 64) + 2 * 16 * 16 * (2 * 2 * 8);
  EXPECT_EQ(of("gpt-austen"), 3 * (2 * block + 16 * 2 * 16 * 256));
  EXPECT_EQ(of("lstm-austen"), 3 * (12 * (2 * 12 * 48 + 12 * (2 * 4 * 12) + 2 * 12 * 256)));
}

TEST(Bytes, CountEachOperandOnce) {
  const Graph graph = build(testing::workload_text(
      R"({"op": "embedding", "name": "e", "in": "tokens", "vocab": 9, "out": {"hidden": 4}})" + words_from("e")));
  const int64_t ids = 3 * 5 * 4, numbers = 9 * 4 + 3 * 5 * 4;
  EXPECT_EQ(bytes(graph, op_named(graph, "e"), 3, 4), ids + 4 * numbers);
  EXPECT_EQ(bytes(graph, op_named(graph, "e"), 3, 8), ids + 8 * numbers);
}

}  // namespace
}  // namespace lockstep::graph
