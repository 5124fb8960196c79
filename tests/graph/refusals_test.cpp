// What a workload's graph may not say, with the exact text of each refusal.
#include <gtest/gtest.h>

#include "adapters/contract/failure.h"
#include "tests/graph/small_graph.h"

namespace lockstep::graph {
namespace {

using testing::classes_from;
using testing::words_from;

std::string refusal(const std::string& ops) {
  try {
    build(testing::workload_text(ops));
    return "accepted";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.kind(), "usage");
    return failure.what();
  }
}

struct Refused {
  const char* name;
  std::string ops, text;
};

void PrintTo(const Refused& r, std::ostream* out) { *out << r.name; }

const std::string kTable = R"({"op": "embedding", "name": "e", "in": "tokens", "vocab": 9, "out": {"hidden": 4}}, )";

const std::string kRouter = R"({"op": "linear", "name": "m", "in": "rows", "out": {"expert": 3}}, )";
const std::string kRoute = kRouter + R"({"op": "route", "name": "r", "in": "m"}, )";

std::vector<Refused> refusals() {
  return {
      {"too_few_tables", R"({"op": "embedding_bag", "name": "x", "in": "ids", "rows": [4, 9], "out": {"hidden": 4}})",
       R"(graph op "x" (embedding_bag): "rows" lists 2 tables, each of at least 1 row; its input has ids of 3)"},
      {"bag_of_tokens", R"({"op": "embedding_bag", "name": "x", "in": "tokens", "rows": [4], "out": {"hidden": 4}})",
       R"(graph op "x" (embedding_bag): its input must be an index tensor [batch, table, a dim of ids], it is )"
       R"([batch, seq 5])"},
      {"dots_of_a_vector", R"({"op": "pairwise_dot", "name": "x", "in": "vector"})",
       R"(graph op "x" (pairwise_dot): its input must be [batch, at least 2 vectors, a dim], it is [batch, hidden 6])"},
      {"binary_loss_of_classes", R"({"op": "binary_cross_entropy", "name": "x", "in": ["vector", "label"]})",
       R"(graph op "x" (binary_cross_entropy): its logits must be [batch, a dim of 1], they are [batch, hidden 6])"},
      {"route_of_rows", R"({"op": "route", "name": "x", "in": "rows"})",
       R"(graph op "x" (route): its input must be [batch, seq, expert], it is [batch, seq 5, hidden 8])"},
      {"too_many_choices", kRouter + R"({"op": "route", "name": "x", "in": "m", "choices": 4})",
       R"(graph op "x" (route): "choices" is 4; a token goes to 1 to 3 experts)"},
      {"no_capacity", kRouter + R"({"op": "route", "name": "x", "in": "m", "capacity_factor": 0})",
       R"(graph op "x" (route): "capacity_factor" is 0 and "balance" is 0.01; the first must be above 0, the second )"
       R"(not below)"},
      {"group_that_cuts_a_sequence", kRouter + R"({"op": "route", "name": "x", "in": "m", "routing_group": 3})",
       R"(graph op "x" (route): "routing_group" is 3 tokens; it must divide the sequence of 5, or be a multiple of it)"},
      {"dispatch_without_router", kRouter + R"({"op": "dispatch", "name": "x", "in": ["rows", "m"]})",
       R"(graph op "x" (dispatch): its second input "m" must be a route op)"},
      {"dispatch_of_no_tokens", kRoute + R"({"op": "dispatch", "name": "x", "in": ["vector", "r"]})",
       R"(graph op "x" (dispatch): its tokens are [batch, hidden 6], its router saw [batch, seq 5, expert 3])"},
      {"expert_linear_of_rows", R"({"op": "expert_linear", "name": "x", "in": "rows", "out": {"ffn": 4}})",
       R"(graph op "x" (expert_linear): its input must be [batch, expert, capacity, a dim], it is [batch, seq 5, hidden 8])"},
      {"expert_linear_of_two_dims", kRoute + R"({"op": "dispatch", "name": "d", "in": ["rows", "r"]},
          {"op": "expert_linear", "name": "x", "in": "d", "out": {"gate": 2, "ffn": 4}})",
       R"(graph op "x" (expert_linear): it needs "out" with the one dim that it makes)"},
      {"combine_of_rows", kRoute + R"({"op": "combine", "name": "x", "in": ["rows", "r"]})",
       R"(graph op "x" (combine): its input must be [batch, expert, capacity, hidden] of its router's sizes, it is )"
       R"([batch, seq 5, hidden 8])"},
      {"unknown_op", R"({"op": "liner", "name": "x", "in": "vector"})",
       R"(/graph/0/op: unknown op "liner"; the nearest known one is "linear")"},
      {"gradient_op", R"({"op": "relu_grad", "name": "x", "in": "vector"})",
       R"(/graph/0/op: unknown op "relu_grad"; the nearest known one is "relu")"},
      {"unknown_key", R"({"op": "max_pool", "name": "x", "in": "image", "kernle": 3})",
       R"(/graph/0/kernle: unknown key of max_pool; the nearest known one is "kernel")"},
      {"key_of_another_op", R"({"op": "linear", "name": "x", "in": "vector", "out": {"ffn": 2}, "rate": 0.1})",
       R"(/graph/0/rate: unknown key of linear; the nearest known one is "name")"},
      {"unknown_dim", R"({"op": "linear", "name": "x", "in": "vector", "out": {"hiden": 4}})",
       R"(/graph/0/out/hiden: no dim is called "hiden"; the nearest is "hidden")"},
      {"size_zero", R"({"op": "linear", "name": "x", "in": "vector", "out": {"hidden": 0}})",
       "/graph/0/out/hidden: 0: a dim's size is a whole number of at least 1"},
      {"no_name", R"({"op": "relu", "in": "vector"})", R"(/graph/0: an op needs "name")"},
      {"unknown_input", R"({"op": "relu", "name": "x", "in": "vectr"})",
       R"(graph op "x" (relu): its input "vectr" is neither an input of the workload nor an op before it; )"
       R"(the nearest is "vector")"},
      {"too_few_inputs", R"({"op": "add", "name": "x", "in": "vector"})",
       R"(graph op "x" (add): it needs at least 2 inputs, "in" names 1)"},
      {"sum_of_unequal", R"({"op": "add", "name": "x", "in": ["vector", "rows"]})",
       R"(graph op "x" (add): adds [batch, hidden 6] and [batch, seq 5, hidden 8]: they must be equal)"},
      {"reshape_of_another_count", R"({"op": "reshape", "name": "x", "in": "vector", "out": {"ffn": 5}})",
       R"(graph op "x" (reshape): turns [batch, hidden 6] into [batch, ffn 5]: the counts differ)"},
      {"linear_without_out", R"({"op": "linear", "name": "x", "in": "vector"})",
       R"(graph op "x" (linear): a linear op needs "out": the dims it makes)"},
      {"conv_without_channels", R"({"op": "conv2d", "name": "x", "in": "image", "out": {"hidden": 4}, "kernel": 3})",
       R"(graph op "x" (conv2d): a conv2d op needs "out": {"chan_out": channels})"},
      {"conv_of_a_vector", R"({"op": "conv2d", "name": "x", "in": "vector", "out": {"chan_out": 4}, "kernel": 3})",
       R"(graph op "x" (conv2d): its input must be [batch, channels, height, width], it is [batch, hidden 6])"},
      {"window_too_large", R"({"op": "max_pool", "name": "x", "in": "image", "kernel": 9})",
       R"(graph op "x" (max_pool): its window 9x9 does not fit into the padded plane 8x6)"},
      {"window_missing", R"({"op": "max_pool", "name": "x", "in": "image"})",
       R"(graph op "x" (max_pool): "kernel" must be one size or [height, width], each at least 1)"},
      {"pool_of_padding", R"({"op": "max_pool", "name": "x", "in": "image", "kernel": 2, "pad": 2})",
       R"(graph op "x" (max_pool): its padding must be smaller than its window, else a window would hold nothing)"},
      {"narrow_beyond_the_end", R"({"op": "narrow", "name": "x", "in": "rows", "axis": "seq", "begin": 3, "size": 3})",
       R"(graph op "x" (narrow): positions 3 to 6 do not lie within 5 of seq)"},
      {"pad_that_is_too_small", R"({"op": "pad", "name": "x", "in": "rows", "axis": "seq", "size": 4})",
       R"(graph op "x" (pad): positions 0 to 5 do not lie within 4 of seq)"},
      {"narrow_without_axis", R"({"op": "narrow", "name": "x", "in": "rows", "size": 1})",
       R"(graph op "x" (narrow): it needs "axis", a dim of [batch, seq 5, hidden 8])"},
      {"narrow_of_the_batch", R"({"op": "narrow", "name": "x", "in": "rows", "axis": "batch", "size": 1})",
       R"(graph op "x" (narrow): its input [batch, seq 5, hidden 8] has no axis "batch" that it could cut)"},
      {"join_of_unequal", R"({"op": "join", "name": "x", "in": ["rows", "qkv"], "axis": "seq"})",
       R"(graph op "x" (join): joins [batch, seq 5, hidden 8] and [batch, seq 5, gate 3, heads 2, head_dim 4]: )"
       R"(all axes but the one joined must be equal)"},
      {"even_response_window", R"({"op": "local_response_norm", "name": "x", "in": "image", "size": 4})",
       R"(graph op "x" (local_response_norm): "size" must be an odd number of channels)"},
      {"patches_that_do_not_fill", R"({"op": "patches", "name": "x", "in": "image", "size": 4})",
       R"(graph op "x" (patches): squares of "size" 4 do not fill a plane of 8 x 6)"},
      {"places_that_are_no_index", R"({"op": "select_positions", "name": "x", "in": ["rows", "vector"]})",
       R"(graph op "x" (select_positions): its places must be an index tensor [batch, seq], they are [batch, hidden 6])"},
      {"class_token_of_a_vector", R"({"op": "class_token", "name": "x", "in": "vector"})",
       R"(graph op "x" (class_token): its input must be [batch, seq, hidden], it is [batch, hidden 6])"},
      {"attention_of_rows", R"({"op": "attention", "name": "x", "in": "rows"})",
       R"(graph op "x" (attention): its input must be [batch, seq, gate 3, heads, head_dim], )"
       R"(it is [batch, seq 5, hidden 8])"},
      {"lstm_of_qkv", R"({"op": "lstm", "name": "x", "in": "rows"})",
       R"(graph op "x" (lstm): its input must be [batch, seq, gate 4, hidden], it is [batch, seq 5, hidden 8])"},
      {"positions_of_a_vector", R"({"op": "positions", "name": "x", "in": "vector"})",
       R"(graph op "x" (positions): its input must be [batch, seq, hidden], it is [batch, hidden 6])"},
      {"embedding_of_reals", R"({"op": "embedding", "name": "x", "in": "rows", "vocab": 9, "out": {"hidden": 4}})",
       R"(graph op "x" (embedding): its input must be an index tensor)"},
      {"embedding_without_vocab", R"({"op": "embedding", "name": "x", "in": "tokens", "out": {"hidden": 4}})",
       R"(graph op "x" (embedding): an embedding needs "vocab" (at least 1) and "out" with one dim)"},
      {"dropout_of_all", R"({"op": "dropout", "name": "x", "in": "vector", "rate": 1})",
       R"(graph op "x" (dropout): "rate" must be in [0, 1))"},
      {"unknown_activation",
       R"({"op": "linear", "name": "x", "in": "vector", "out": {"ffn": 4}, "activation": "selu"})",
       R"(graph op "x" (linear): "activation" is "selu"; known are relu, gelu and tanh)"},
      {"labels_of_another_shape", R"({"op": "linear", "name": "x", "in": "vector", "out": {"class": 10}},
                                     {"op": "softmax_cross_entropy", "name": "loss", "in": ["x", "targets"]})",
       R"(graph op "loss" (softmax_cross_entropy): its labels must be an index tensor [batch], they are [batch, seq 5])"},
      {"unknown_tie", kTable + R"({"op": "linear", "name": "x", "in": "e", "out": {"vocab": 9}, "weight": "e.tabel"})",
       R"(graph op "x" (linear): no op before it has a parameter "e.tabel"; the nearest is "e.table")"},
      {"tie_of_another_count",
       kTable + R"({"op": "linear", "name": "x", "in": "e", "out": {"vocab": 8}, "weight": "e.table"})",
       R"(graph op "x" (linear): its weight e.table has shape [vocab 9, hidden 4], wanted is [vocab 8, hidden 4])"},
      {"tie_of_the_transpose", kTable + R"({"op": "linear", "name": "m", "in": "e", "out": {"hidden": 9}},
                   {"op": "linear", "name": "x", "in": "m", "out": {"hidden": 4}, "weight": "e.table"})",
       R"(graph op "x" (linear): its weight e.table has shape [vocab 9, hidden 4], wanted is [hidden 4, hidden 9])"},
      {"two_losses",
       testing::small_mlp() + R"(, {"op": "softmax_cross_entropy", "name": "second", "in": ["top", "label"]})",
       R"(graph op "second" (softmax_cross_entropy): a graph has one loss)"},
      {"no_loss", R"({"op": "relu", "name": "x", "in": "vector"})",
       "/graph: a workload needs a loss: end it with softmax_cross_entropy or binary_cross_entropy"},
      {"parameter_without_use",
       R"({"op": "linear", "name": "x", "in": "vector", "out": {"ffn": 4}})" + classes_from("vector"),
       R"(graph op "x" (linear): the loss does not depend on its parameter "x.weight")"},
      {"text_for_a_number", R"({"op": "layer_norm", "name": "x", "in": "rows", "epsilon": "small"})",
       R"(/graph/0/epsilon: "small": not a value that "epsilon" can have)"},
      {"number_for_a_flag", R"({"op": "linear", "name": "x", "in": "vector", "out": {"ffn": 4}, "bias": 0})",
       R"(/graph/0/bias: 0: not a value that "bias" can have)"},
      {"list_for_an_object", R"({"op": "linear", "name": "x", "in": "vector", "out": [4]})",
       R"(/graph/0/out: dims are an object such as {"hidden": 64})"},
      {"number_for_a_name", R"({"op": "relu", "name": 3, "in": "vector"})",
       R"(/graph/0/name: 3: not a value that "name" can have)"},
  };
}

class Refusals : public ::testing::TestWithParam<Refused> {};

TEST_P(Refusals, HaveExactlyThisText) { EXPECT_EQ(refusal(GetParam().ops), GetParam().text); }

INSTANTIATE_TEST_SUITE_P(Texts, Refusals, ::testing::ValuesIn(refusals()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Refusals, AreNotForGoodGraphs) { EXPECT_EQ(refusal(testing::small_mlp()), "accepted"); }

}  // namespace
}  // namespace lockstep::graph
