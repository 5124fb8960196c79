// The loop nests that layout rules speak of: which loops there are, and which of them indexes what.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference_trainer/graph/gradients.h"
#include "reference_trainer/graph/loops.h"
#include "tests/graph/small_graph.h"
#include "tests/test_name.h"

namespace lockstep::graph {
namespace {

using testing::classes_from;
using testing::words_from;

/// "batch, hidden 4, seq 5 whole: 0 1, 1, ...": the loops, then the loops of each operand.
std::string print(const OpLoops& nest) {
  std::string text;
  for (const Loop& loop : nest.loops) {
    text += text.empty() ? "" : ", ";
    text += name(loop.dim);
    if (loop.dim != Dim::batch) text += fmt::format(" {}", loop.size);
    text += std::string_view(loop.kind == Loop::map ? "" : loop.kind == Loop::window ? " window" : " whole");
  }
  for (size_t k = 0; k < nest.operands.size(); ++k) {
    text += k ? " |" : ":";
    for (int8_t loop : nest.operands[k]) text += loop < 0 ? std::string(" -") : " " + std::to_string(loop);
  }
  return text;
}

struct Nest {
  std::string ops, op, text;
};

void PrintTo(const Nest& n, std::ostream* out) { *out << n.op; }

const std::string kLinear =
    R"({"op": "relu", "name": "r", "in": "rows"},
       {"op": "linear", "name": "m", "in": "r", "out": {"ffn": 4}, "bias": false},
       {"op": "linear", "name": "x", "in": "m", "out": {"gate": 3, "heads": 2}})" +
    words_from("x");
const std::string kConv =
    R"({"op": "conv2d", "name": "m", "in": "image", "out": {"chan_out": 2}, "kernel": 1},
       {"op": "conv2d", "name": "x", "in": "m", "out": {"chan_out": 5}, "kernel": [3, 2]})" +
    classes_from("x");
const std::string kAttention =
    R"({"op": "linear", "name": "m", "in": "rows", "out": {"gate": 3, "heads": 2, "head_dim": 4}},
       {"op": "attention", "name": "x", "in": "m"})" +
    words_from("x");
const std::string kNorm = R"({"op": "batch_norm", "name": "x", "in": "image"})" + classes_from("x");
const std::string kLayerNorm = R"({"op": "layer_norm", "name": "x", "in": "rows"})" + words_from("x");
const std::string kEmbedding = R"({"op": "embedding", "name": "e", "in": "tokens", "vocab": 9, "out": {"hidden": 4}},
                                  {"op": "positions", "name": "x", "in": "e"})" +
                               words_from("x");
const std::string kLstm = R"({"op": "lstm", "name": "x", "in": "gates"})" + words_from("x");
const std::string kPool = R"({"op": "conv2d", "name": "m", "in": "image", "out": {"chan_out": 2}, "kernel": 1},
                             {"op": "max_pool", "name": "x", "in": "m", "kernel": 2})" +
                          classes_from("x");
const std::string kReshape =
    R"({"op": "reshape", "name": "x", "in": "image", "out": {"hidden": 144}})" + classes_from("x");
const std::string kDropout = R"({"op": "dropout", "name": "x", "in": "rows", "rate": 0.5})" + words_from("x");

const std::string kCut =
    R"({"op": "linear", "name": "m", "in": "rows", "out": {"hidden": 4}},
       {"op": "pad", "name": "p", "in": "m", "axis": "seq", "size": 7},
       {"op": "join", "name": "j", "in": ["p", "p"], "axis": "hidden"},
       {"op": "narrow", "name": "x", "in": "j", "axis": "seq", "begin": 1, "size": 5})" +
    words_from("x");
const std::string kSequence =
    R"({"op": "local_response_norm", "name": "n", "in": "image"},
       {"op": "patches", "name": "p", "in": "n", "size": 2},
       {"op": "class_token", "name": "t", "in": "p"},
       {"op": "linear", "name": "m", "in": "t", "out": {"gate": 3, "heads": 2, "head_dim": 4}},
       {"op": "attention", "name": "a", "in": "m", "causal": false},
       {"op": "reshape", "name": "x", "in": "a", "out": {"hidden": 104}})" +
    classes_from("x");

const std::string kSelect =
    R"({"op": "linear", "name": "m", "in": "rows", "out": {"hidden": 4}},
       {"op": "select_positions", "name": "x", "in": ["m", "tokens"]})" +
    words_from("x");

/// `group` tokens are routed together, of sequences of 5.
std::string experts(const std::string& group) {
  return R"({"op": "linear", "name": "m", "in": "rows", "out": {"expert": 3}},
            {"op": "route", "name": "r", "in": "m", "choices": 2, "routing_group": )" +
         group + R"(},
            {"op": "dispatch", "name": "d", "in": ["rows", "r"]},
            {"op": "expert_linear", "name": "e", "in": "d", "out": {"ffn": 4}},
            {"op": "expert_linear", "name": "f", "in": "e", "out": {"hidden": 8}},
            {"op": "combine", "name": "x", "in": ["f", "r"]})" +
         words_from("x");
}
const std::string kExperts = experts("5"), kExpertsOfTwoSamples = experts("10");

const std::string kTables =
    R"({"op": "embedding_bag", "name": "x", "in": "ids", "rows": [4, 9, 4], "out": {"hidden": 4}},
       {"op": "pairwise_dot", "name": "dots", "in": "x"},
       {"op": "linear", "name": "top", "in": "dots", "out": {"class": 1}},
       {"op": "binary_cross_entropy", "name": "loss", "in": ["top", "label"]})";

std::vector<Nest> nests() {
  const std::string linear = "batch, seq 5, gate 3, heads 2, ffn 4: ";
  const std::string conv =
      "batch, chan_out 5, height 6 window, width 5 window, chan_in 2, height 3 whole, width 2 whole: ";
  const std::string attention = "batch, seq 5 whole, gate 3 whole, heads 2, head_dim 4 whole, kv_seq 5 whole: ";
  const std::string norm = "batch whole, chan_in 3, height 8 whole, width 6 whole: ";
  const std::string rows = "batch, seq 5, hidden 8 whole: ";
  const std::string lstm = "batch, seq 5 whole, gate 4 whole, hidden 8 whole, hidden 8 whole: ";
  const std::string loss = "batch, seq 5, vocab 7 whole: ";
  return {
      {kLinear, "x", linear + "0 1 4 | 2 3 4 | 2 3 | 0 1 2 3"},
      {kLinear, "x.grad_weight", linear + "0 1 4 | 0 1 2 3 | 2 3 4 | 2 3"},
      {kLinear, "x.grad_input", linear + "0 1 2 3 | 2 3 4 | 0 1 4"},
      {kLinear, "m", "batch, seq 5, ffn 4, hidden 8: 0 1 3 | 2 3 | 0 1 2"},
      {kConv, "x", conv + "0 4 2 3 | 1 4 5 6 | 1 | 0 1 2 3"},
      {kConv, "x.grad_weight", conv + "0 4 2 3 | 0 1 2 3 | 1 4 5 6 | 1"},
      {kConv, "x.grad_input", conv + "0 1 2 3 | 1 4 5 6 | 0 4 2 3"},
      {kAttention, "x", attention + "0 1 2 3 4 | 0 1 3 4 | 0 3 1 5"},
      {kAttention, "x.grad", attention + "0 1 2 3 4 | 0 3 1 5 | 0 1 3 4 | 0 1 2 3 4"},
      {kNorm, "x", norm + "0 1 2 3 | 1 | 1 | 1 | 1 | 0 1 2 3 | - 1 | - 1"},
      {kNorm, "x.grad", norm + "0 1 2 3 | 0 1 2 3 | 1 | - 1 | - 1 | 0 1 2 3 | 1 | 1"},
      {kLayerNorm, "x", rows + "0 1 2 | 2 | 2 | 0 1 2 | 0 1 | 0 1"},
      {kLayerNorm, "x.grad", rows + "0 1 2 | 0 1 2 | 2 | 0 1 | 0 1 | 0 1 2 | 2 | 2"},
      {kEmbedding, "e", "batch, seq 5, vocab 9, hidden 4: 0 1 | 2 3 | 0 1 3"},
      {kEmbedding, "e.grad", "batch, seq 5, vocab 9, hidden 4: 0 1 | 0 1 3 | 2 3"},
      {kEmbedding, "x", "batch, seq 5, hidden 4: 0 1 2 | 1 2 | 0 1 2"},
      {kEmbedding, "x.grad", "batch, seq 5, hidden 4: 0 1 2 | 1 2"},
      {kLstm, "x", lstm + "0 1 2 3 | 2 3 4 | 0 1 3 | 0 1 2 3 | 0 1 3"},
      {kLstm, "x.grad_weight", lstm + "0 1 3 | 0 1 2 3 | 2 3 4"},
      {kPool, "x", "batch, chan_out 2, height 4 window, width 3 window: 0 1 2 3 | 0 1 2 3 | 0 1 2 3"},
      {kReshape, "x", "batch: 0 - - - | 0 -"},
      {kCut, "p", "batch, hidden 4: 0 - 1 | 0 - 1"},
      {kCut, "j", "batch, seq 7: 0 1 - | 0 1 - | 0 1 -"},
      {kCut, "x", "batch, hidden 8: 0 - 1 | 0 - 1"},
      {kCut, "x.grad", "batch, hidden 8: 0 - 1 | 0 - 1"},
      {kSequence, "n", "batch, chan_in 3 whole, height 8, width 6: 0 1 2 3 | 0 1 2 3 | 0 1 2 3"},
      {kSequence, "p", "batch: 0 - - - | 0 - -"},
      {kSequence, "t", "batch, hidden 12: 0 - 1 | 1 | 0 - 1"},
      {kSequence, "t.grad", "batch, hidden 12: 0 - 1 | 1"},
      // Not causal: the loop over positions is none that the ring's rules name.
      {kSequence, "a",
       "batch, kv_seq 13 whole, gate 3 whole, heads 2, head_dim 4 whole, kv_seq 13 whole: 0 1 2 3 4 | 0 1 3 4 | 0 3 1 "
       "5"},
      {kSelect, "x", "batch, hidden 4: 0 - 1 | 0 - | 0 - 1"},
      {kSelect, "x.grad", "batch, hidden 4: 0 - 1 | 0 - | 0 - 1"},
      {kExperts, "r", "batch: 0 - - | 0 - - | 0 - - | 0 - - |"},
      {kExperts, "r.balance.grad", "batch: 0 - - | 0 | 0 - -"},
      // Ranks may not cut samples that are routed together.
      {kExpertsOfTwoSamples, "r.grad", "batch whole: 0 - - | 0 - - | 0 - - | 0 - -"},
      {kExperts, "e", "batch, expert 3, capacity 5, ffn 4, hidden 8: 0 1 2 4 | 1 3 4 | 1 3 | 0 1 2 3"},
      {kExperts, "e.grad_weight", "batch, expert 3, capacity 5, ffn 4, hidden 8: 0 1 2 4 | 0 1 2 3 | 1 3 4 | 1 3"},
      {kExperts, "f.grad_input", "batch, expert 3, capacity 5, hidden 8, ffn 4: 0 1 2 3 | 1 3 4 | 0 1 2 4"},
      // Over a split sequence a dispatch gives sums of which each rank has a part.
      {kExperts, "d", "batch, seq 5, hidden 8: 0 1 2 | 0 1 - | 0 - - 2"},
      {kExperts, "x", "batch, seq 5, hidden 8: 0 - - 2 | 0 1 - | 0 1 - | 0 1 2"},
      {kExperts, "x.grad", "batch, seq 5, hidden 8: 0 1 2 | 0 - - 2 | 0 1 - | 0 1 - | 0 - - 2 | 0 1 -"},
      {kExperts, "loss", loss + "0 1 2 | 0 1 | 0 | | | 0 1"},
      {kExperts, "loss.grad", "batch, seq 5, vocab 7: 0 1 2 | 0 1 | 0 1 | 0 1 2 | 0"},
      // Rows belong to a table: over split tables each rank has whole ones.
      {kTables, "x", "batch, table 3, hidden 4: 0 1 - | 1 2 | 0 1 2"},
      {kTables, "x.grad", "batch, table 3, hidden 4: 0 1 - | 0 1 2 | 1 2"},
      {kTables, "dots", "batch: 0 - - | 0 -"},
      {kTables, "dots.grad", "batch: 0 - - | 0 - | 0 - -"},
      {kTables, "loss", "batch: 0 - | 0 | | | 0 -"},
      {kDropout, "x", "batch, seq 5, hidden 8: 0 1 2 | 0 | 0 1 2"},
      {kLayerNorm, "loss", loss + "0 1 2 | 0 1 | | | 0 1"},
      {kLayerNorm, "loss.grad", "batch, seq 5, vocab 7: 0 1 2 | 0 1 | 0 1 | 0 1 2"},
  };
}

class LoopsOf : public ::testing::TestWithParam<Nest> {};

TEST_P(LoopsOf, AreExactly) {
  const Graph graph = differentiate(build(testing::workload_text(GetParam().ops)));
  EXPECT_EQ(print(loops_of(graph, testing::op_named(graph, GetParam().op))), GetParam().text) << GetParam().op;
}

INSTANTIATE_TEST_SUITE_P(Ops, LoopsOf, ::testing::ValuesIn(nests()), [](const auto& info) {
  return test_name({std::to_string(info.index), info.param.op});
});

/// What every nest must hold: an operand has a loop (or none) an axis, of the axis's dim.
TEST(Loops, FitTheShapesOfTheirOperands) {
  for (const std::string& ops : {kLinear, kConv, kAttention, kNorm, kLayerNorm, kEmbedding, kLstm, kPool, kReshape,
                                 kDropout, kCut, kSequence, kSelect, kExperts, kTables}) {
    const Graph graph = differentiate(build(testing::workload_text(ops)));
    for (const Op& op : graph.ops) {
      const OpLoops nest = loops_of(graph, op);
      std::vector<TensorId> operands = op.in;
      operands.insert(operands.end(), op.out.begin(), op.out.end());
      ASSERT_EQ(nest.operands.size(), operands.size()) << op.name;
      for (size_t k = 0; k < operands.size(); ++k) {
        EXPECT_EQ(nest.operands[k].size(), graph.tensor(operands[k]).shape.size()) << op.name << " operand " << k;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::graph
