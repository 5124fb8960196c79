#include "tests/kernels/op_cases.h"

#include <fmt/format.h>

#include "tests/kernels/op_makers.h"

namespace lockstep::kernels::testing {

using graph::OpKind;

std::vector<OpCase> op_cases() {
  std::vector<OpCase> cases;
  const auto add = [&](OpCase c) { cases.push_back(std::move(c)); };

  for (const auto& [batch, in, out] : {std::tuple{1, 1, 1}, {3, 7, 17}, {17, 3, 10}, {5, 64, 33}, {130, 40, 50}}) {
    const std::string size = fmt::format("{}x{}x{}", batch, in, out);
    add({"linear_" + size, [=] { return linear_case({.in = in, .out = out}); }, batch});
    add({"linear_plain_" + size, [=] { return linear_case({.in = in, .out = out, .bias = false}); }, batch});
    add({"linear_relu_" + size, [=] { return linear_case({.in = in, .out = out, .activation = OpKind::relu}); }, batch,
         2e-6, false});
    add({"linear_tanh_" + size, [=] { return linear_case({.in = in, .out = out, .activation = OpKind::tanh}); },
         batch});
    add({"linear_seq_" + size, [=] { return linear_case({.in = in, .out = out, .seq = 3}); }, batch});
  }

  const WindowCase same{.chan_in = 3, .chan_out = 5, .height = 7, .width = 9, .kernel = {3, 3}, .pad = {1, 1, 1, 1}};
  const WindowCase odd{
      .chan_in = 2, .chan_out = 17, .height = 8, .width = 7, .kernel = {3, 2}, .stride = {2, 1}, .pad = {0, 1, 1, 0}};
  const WindowCase one{.chan_in = 1, .chan_out = 8, .height = 5, .width = 5, .kernel = {1, 1}, .pad = {0, 0, 0, 0}};
  const WindowCase blocks{
      .chan_in = 16, .chan_out = 32, .height = 6, .width = 6, .kernel = {3, 3}, .pad = {1, 1, 1, 1}};
  const WindowCase wide{
      .chan_in = 8, .chan_out = 8, .height = 9, .width = 9, .kernel = {5, 5}, .stride = {3, 2}, .pad = {2, 1, 0, 2}};
  WindowCase few = wide;
  few.chan_in = 1;
  for (const auto& [name, z] :
       {std::pair{"few", few}, {"same", same}, {"odd", odd}, {"one", one}, {"blocks", blocks}, {"wide", wide}}) {
    for (const int64_t batch : {1, 3}) {
      const std::string size = fmt::format("{}_{}", name, batch);
      WindowCase plain = z, rectified = z;
      plain.bias = false;
      rectified.activation = OpKind::relu;
      add({"conv2d_" + size, [z] { return conv2d_case(z); }, batch, 1e-5});
      add({"conv2d_plain_" + size, [plain] { return conv2d_case(plain); }, batch, 1e-5});
      add({"conv2d_relu_" + size, [rectified] { return conv2d_case(rectified); }, batch, 1e-5, false});
    }
  }

  const WindowCase halve{.chan_in = 3, .height = 6, .width = 8, .kernel = {2, 2}, .stride = {2, 2}, .pad = {}};
  const WindowCase overlap{
      .chan_in = 9, .height = 7, .width = 5, .kernel = {3, 2}, .stride = {2, 1}, .pad = {1, 1, 0, 1}};
  for (const auto& [name, z] : {std::pair{"halve", halve}, {"overlap", overlap}}) {
    add({fmt::format("max_pool_{}", name), [z] { return pool_case(OpKind::max_pool, OpKind::max_pool_grad, z); }, 2});
    add({fmt::format("avg_pool_{}", name), [z] { return pool_case(OpKind::avg_pool, OpKind::avg_pool_grad, z); }, 2});
  }

  for (const int64_t group : {0, 1, 2}) {
    add({fmt::format("batch_norm_group{}", group), [=] { return batch_norm_case(5, 4, group); }, 5, 2e-5});
  }
  for (int64_t group : {0, 2})
    add({fmt::format("split_norm_group{}", group), [=] { return split_norm_case(5, 4, group); }, 5, 2e-5});
  add({"batch_norm_flat", [] { return batch_norm_case(17, 0, 0); }, 6, 2e-5});
  for (const int64_t width : {1, 3, 8, 17, 64}) {
    add({fmt::format("layer_norm_{}", width), [=] { return layer_norm_case(3, width); }, 3, 1e-5});
  }

  for (const int64_t width : {1, 7, 33}) {
    const auto unary = [&](const char* name, OpKind forward, OpKind gradient, bool smooth) {
      add({fmt::format("{}_{}", name, width), [=] { return unary_case(forward, gradient, width); }, 3, 2e-6, smooth});
    };
    unary("relu", OpKind::relu, OpKind::relu_grad, false);
    unary("gelu", OpKind::gelu, OpKind::gelu_grad, true);
    unary("tanh", OpKind::tanh, OpKind::tanh_grad, true);
    add({fmt::format("add_{}", width), [=] { return add_case(width); }});
    add({fmt::format("reshape_{}", width), [=] { return reshape_case(width); }});
    add({fmt::format("dropout_{}", width), [=] { return dropout_case(width); }});
    add({fmt::format("embedding_{}", width), [=] { return embedding_case(5, 11, width); }});
    add({fmt::format("positions_{}", width), [=] { return positions_case(5, width); }});
    add({fmt::format("softmax_cross_entropy_{}", width), [=] { return loss_case(5, width, false); }, 3, 5e-6});
    add({fmt::format("softmax_cross_entropy_penalty_{}", width), [=] { return loss_case(5, width, true); }, 3, 5e-6});
  }

  for (const auto& [seq, heads, head_dim] : {std::tuple{1, 1, 1}, {7, 2, 3}, {17, 3, 8}, {33, 1, 16}, {70, 2, 24}}) {
    for (const bool causal : {true, false}) {
      add({fmt::format("attention_{}_{}x{}x{}", causal ? "causal" : "full", seq, heads, head_dim),
           [=] { return attention_case(seq, heads, head_dim, causal); }, 2, 5e-6});
    }
  }
  for (const auto& [outer, begin, inner] : {std::tuple{5, 0, 5}, {7, 2, 3}, {4, 3, 1}}) {
    const std::string size = fmt::format("{}_{}_{}", outer, begin, inner);
    add({"narrow_" + size, [=] { return cut_case(OpKind::narrow, outer, begin, inner); }});
    add({"pad_" + size, [=] { return cut_case(OpKind::pad, outer, begin, inner); }});
  }
  for (const int32_t axis : {1, 2}) {
    add({fmt::format("join_axis{}", axis), [=] { return join_case(axis, 4, 1); }});
  }
  for (const auto& [channels, window] : {std::tuple{1, 1}, {3, 5}, {9, 3}, {17, 5}}) {
    add({fmt::format("local_response_norm_{}_{}", channels, window),
         [=] { return local_response_norm_case(channels, window, channels == 9 ? 0.5 : 0.75); }, 2, 5e-6});
  }
  for (const auto& [channels, down, across, side] : {std::tuple{1, 1, 1, 1}, {3, 2, 3, 4}, {2, 3, 1, 2}}) {
    add({fmt::format("patches_{}_{}x{}_{}", channels, down, across, side),
         [=] { return patches_case(channels, down, across, side); }});
  }
  for (const auto& [seq, chosen] : {std::tuple{1, 1}, {9, 2}, {3, 7}}) {
    add({fmt::format("select_positions_{}_{}", seq, chosen), [=] { return select_positions_case(seq, chosen, 5); }});
  }
  for (const ExpertsCase& z :
       {ExpertsCase{.seq = 1, .experts = 1, .group = 1, .capacity = 1},
        ExpertsCase{.seq = 6, .experts = 3, .group = 6, .capacity = 2},
        ExpertsCase{.seq = 6, .experts = 3, .group = 3, .capacity = 2},
        ExpertsCase{.seq = 4, .experts = 5, .choices = 2, .group = 8, .capacity = 2},
        ExpertsCase{.seq = 9, .experts = 4, .choices = 2, .group = 9, .capacity = 6},
        ExpertsCase{.seq = 5, .experts = 3, .choices = 3, .group = 5, .capacity = 4, .bias = false}}) {
    add({fmt::format("experts_{}x{}_choices{}_group{}", z.seq, z.experts, z.choices, z.group),
         [z] { return experts_case(z); }, 3, 5e-6});
  }
  for (const auto& [rows, ids] : {std::tuple{std::vector<int64_t>{1}, 1}, {{5, 3, 11}, 4}, {{7, 2}, 1}}) {
    add({fmt::format("embedding_bag_{}_{}", rows.size(), ids), [=] { return embedding_bag_case(rows, ids, 5); }});
  }
  for (const auto& [vectors, width] : {std::tuple{2, 1}, {4, 9}, {5, 16}}) {
    add({fmt::format("pairwise_dot_{}x{}", vectors, width), [=] { return pairwise_dot_case(vectors, width); }, 3,
         5e-6});
  }
  add({"binary_cross_entropy", [] { return binary_loss_case(); }, 7, 5e-6});
  for (const auto& [seq, width] : {std::tuple{1, 1}, {5, 9}}) {
    add({fmt::format("class_token_{}x{}", seq, width), [=] { return class_token_case(seq, width); }});
  }
  for (const auto& [batch, seq, hidden] : {std::tuple{1, 1, 1}, {3, 5, 7}, {17, 3, 16}, {2, 9, 33}}) {
    add({fmt::format("lstm_{}x{}x{}", batch, seq, hidden), [=] { return lstm_case(seq, hidden); }, batch, 1e-5});
  }
  for (const int64_t width : {1, 7, 33, 4000}) {
    add({fmt::format("cast_bf16_{}", width), [=] { return cast_case(graph::Type::bf16, width); }, 3, 0, false});
    add({fmt::format("cast_fp16_{}", width), [=] { return cast_case(graph::Type::fp16, width); }, 3, 0, false});
  }
  return cases;
}

}  // namespace lockstep::kernels::testing
