#include "tests/kernels/op_makers.h"

#include <numeric>

namespace lockstep::kernels::testing {

using graph::Attributes;
using graph::Dim;
using graph::Extent;
using graph::OpKind;
using graph::Shape;
using graph::TensorId;
using graph::Type;

Attributes WindowCase::attributes() const {
  Attributes a;
  a.kernel_h = kernel[0], a.kernel_w = kernel[1], a.stride_h = stride[0], a.stride_w = stride[1];
  a.pad_top = pad[0], a.pad_bottom = pad[1], a.pad_left = pad[2], a.pad_right = pad[3];
  a.has_bias = bias;
  a.activation = activation;
  return a;
}

Shape WindowCase::output(int64_t channels) const {
  return batched({{Dim::chan_out, channels},
                  {Dim::height, (height + pad[0] + pad[1] - kernel[0]) / stride[0] + 1},
                  {Dim::width, (width + pad[2] + pad[3] - kernel[1]) / stride[1] + 1}});
}

namespace {

/// The gradient that reaches a linear or conv2d, through its fused activation where there is one.
TensorId before_activation(CaseGraph& c, TensorId y, OpKind activation) {
  const TensorId dy = c.seed(y);
  if (activation == OpKind::none) return dy;
  const TensorId dz = c.activation("dz", c.shape(y));
  c.backward(activation == OpKind::relu ? OpKind::relu_grad : OpKind::tanh_grad, {dy, y}, {dz});
  return dz;
}

void weighted(CaseGraph& c, OpKind forward, OpKind grad_input, OpKind grad_weight, TensorId x, TensorId w, TensorId b,
              TensorId y, const Attributes& attr) {
  Attributes plain = attr;
  plain.activation = OpKind::none;
  c.forward(forward, attr.has_bias ? std::vector{x, w, b} : std::vector{x, w}, {y}, attr);
  const TensorId dz = before_activation(c, y, attr.activation);
  c.backward(grad_input, {dz, w}, {c.gradient(x)}, plain);
  const TensorId dw = c.gradient(w);
  c.backward(grad_weight, {x, dz}, attr.has_bias ? std::vector{dw, c.gradient(b)} : std::vector{dw}, plain);
}

}  // namespace

CaseGraph linear_case(const LinearCase& z) {
  CaseGraph c;
  const bool seq = z.seq > 0;
  const TensorId x =
      c.input("x", seq ? batched({{Dim::seq, z.seq}, {Dim::hidden, z.in}}) : batched({{Dim::hidden, z.in}}));
  const TensorId w = c.parameter("w", {{Dim::ffn, z.out}, {Dim::hidden, z.in}});
  const TensorId b = z.bias ? c.parameter("b", {{Dim::ffn, z.out}}) : graph::kNoTensor;
  const TensorId y =
      c.output("y", seq ? batched({{Dim::seq, z.seq}, {Dim::ffn, z.out}}) : batched({{Dim::ffn, z.out}}));
  Attributes attr;
  attr.has_bias = z.bias;
  attr.activation = z.activation;
  weighted(c, OpKind::linear, OpKind::linear_grad_input, OpKind::linear_grad_weight, x, w, b, y, attr);
  return c;
}

CaseGraph conv2d_case(const WindowCase& z) {
  CaseGraph c;
  const TensorId x = c.input("x", batched({{Dim::chan_in, z.chan_in}, {Dim::height, z.height}, {Dim::width, z.width}}));
  const TensorId w = c.parameter(
      "w",
      {{Dim::chan_out, z.chan_out}, {Dim::chan_in, z.chan_in}, {Dim::height, z.kernel[0]}, {Dim::width, z.kernel[1]}});
  const TensorId b = z.bias ? c.parameter("b", {{Dim::chan_out, z.chan_out}}) : graph::kNoTensor;
  const TensorId y = c.output("y", z.output(z.chan_out));
  weighted(c, OpKind::conv2d, OpKind::conv2d_grad_input, OpKind::conv2d_grad_weight, x, w, b, y, z.attributes());
  return c;
}

CaseGraph pool_case(OpKind forward, OpKind gradient, const WindowCase& z) {
  CaseGraph c;
  const TensorId x = c.input("x", batched({{Dim::chan_in, z.chan_in}, {Dim::height, z.height}, {Dim::width, z.width}}));
  const TensorId y = c.output("y", z.output(z.chan_in));
  Attributes attr = z.attributes();
  attr.has_bias = false;
  if (forward == OpKind::max_pool) {
    const TensorId argmax = c.activation("argmax", c.shape(y), Type::index);
    c.forward(forward, {x}, {y, argmax}, attr);
    c.backward(gradient, {c.seed(y), argmax}, {c.gradient(x)}, attr);
  } else {
    c.forward(forward, {x}, {y}, attr);
    c.backward(gradient, {c.seed(y)}, {c.gradient(x)}, attr);
  }
  return c;
}

CaseGraph batch_norm_case(int64_t channels, int64_t side, int64_t group) {
  CaseGraph c;
  const Shape full = side > 0 ? batched({{Dim::chan_out, channels}, {Dim::height, side}, {Dim::width, side}})
                              : batched({{Dim::hidden, channels}});
  const Shape channel = {{Dim::chan_out, channels}};
  const TensorId x = c.input("x", full), gamma = c.parameter("gamma", channel), beta = c.parameter("beta", channel);
  const TensorId running_mean = c.state("mean", channel), running_var = c.state("var", channel);
  const TensorId y = c.output("y", full);
  const TensorId mean = c.activation("saved_mean", batched({channel})), rstd = c.activation("rstd", batched({channel}));
  Attributes attr;
  attr.norm_group = group;
  c.forward(OpKind::batch_norm, {x, gamma, beta, running_mean, running_var}, {y, mean, rstd}, attr);
  c.backward(OpKind::batch_norm_grad, {x, c.seed(y), gamma, mean, rstd},
             {c.gradient(x), c.gradient(gamma), c.gradient(beta)}, attr);
  return c;
}

CaseGraph split_norm_case(int64_t channels, int64_t side, int64_t group) {
  CaseGraph c;
  const Shape full = batched({{Dim::chan_out, channels}, {Dim::height, side}, {Dim::width, side}});
  const Shape channel = {{Dim::chan_out, channels}}, three = batched({channel.front(), {Dim::gate, 3}});
  const TensorId x = c.input("x", full), gamma = c.parameter("gamma", channel), beta = c.parameter("beta", channel);
  const TensorId running_mean = c.state("mean", channel), running_var = c.state("var", channel);
  const TensorId y = c.output("y", full), sums = c.activation("sums", three), back = c.activation("back", three);
  const TensorId mean = c.activation("saved_mean", batched({channel})), rstd = c.activation("rstd", batched({channel}));
  Attributes attr;
  attr.norm_group = group;
  c.forward(OpKind::batch_norm_sums, {x, running_mean}, {sums}, attr);
  c.forward(OpKind::batch_norm_total, {x, gamma, beta, running_mean, running_var, sums}, {y, mean, rstd}, attr);
  const TensorId dy = c.seed(y);
  c.backward(OpKind::batch_norm_grad_sums, {x, dy, mean, rstd}, {back, c.gradient(gamma), c.gradient(beta)}, attr);
  c.backward(OpKind::batch_norm_grad_total, {x, dy, gamma, mean, rstd, back}, {c.gradient(x)}, attr);
  return c;
}

CaseGraph layer_norm_case(int64_t seq, int64_t width) {
  CaseGraph c;
  const Shape full = batched({{Dim::seq, seq}, {Dim::hidden, width}}), rows = batched({{Dim::seq, seq}});
  const TensorId x = c.input("x", full), y = c.output("y", full);
  const TensorId gamma = c.parameter("gamma", {{Dim::hidden, width}}),
                 beta = c.parameter("beta", {{Dim::hidden, width}});
  const TensorId mean = c.activation("mean", rows), rstd = c.activation("rstd", rows);
  c.forward(OpKind::layer_norm, {x, gamma, beta}, {y, mean, rstd});
  c.backward(OpKind::layer_norm_grad, {x, c.seed(y), gamma, mean, rstd},
             {c.gradient(x), c.gradient(gamma), c.gradient(beta)});
  return c;
}

CaseGraph unary_case(OpKind forward, OpKind gradient, int64_t width) {
  CaseGraph c;
  const Shape full = batched({{Dim::hidden, width}});
  const TensorId x = c.input("x", full), y = c.output("y", full);
  c.forward(forward, {x}, {y});
  c.backward(gradient, {c.seed(y), forward == OpKind::gelu ? x : y}, {c.gradient(x)});
  return c;
}

CaseGraph add_case(int64_t width) {
  CaseGraph c;
  const Shape full = batched({{Dim::hidden, width}});
  const TensorId a = c.input("a", full), b = c.input("b", full), y = c.output("y", full);
  c.forward(OpKind::add, {a, b}, {y});
  return c;
}

CaseGraph reshape_case(int64_t width) {
  CaseGraph c;
  const TensorId x = c.input("x", batched({{Dim::heads, 2}, {Dim::head_dim, width}}));
  const TensorId y = c.output("y", batched({{Dim::hidden, 2 * width}}));
  c.forward(OpKind::reshape, {x}, {y});
  c.backward(OpKind::reshape, {c.seed(y)}, {c.gradient(x)});
  return c;
}

CaseGraph dropout_case(int64_t width) {
  CaseGraph c;
  const Shape full = batched({{Dim::hidden, width}});
  const TensorId x = c.input("x", full), ids = c.index("ids", batched({}), 1000), y = c.output("y", full);
  Attributes attr;
  attr.rate = 0.25;
  c.forward(OpKind::dropout, {x, ids}, {y}, attr);
  c.backward(OpKind::dropout_grad, {c.seed(y), ids}, {c.gradient(x)}, attr);
  return c;
}

CaseGraph embedding_case(int64_t seq, int64_t vocab, int64_t width) {
  CaseGraph c;
  const TensorId ids = c.index("ids", batched({{Dim::seq, seq}}), vocab);
  const TensorId table = c.parameter("table", {{Dim::vocab, vocab}, {Dim::hidden, width}});
  const TensorId y = c.output("y", batched({{Dim::seq, seq}, {Dim::hidden, width}}));
  c.forward(OpKind::embedding, {ids, table}, {y});
  c.backward(OpKind::embedding_grad, {ids, c.seed(y)}, {c.gradient(table)});
  return c;
}

CaseGraph positions_case(int64_t seq, int64_t width) {
  CaseGraph c;
  const Shape full = batched({{Dim::seq, seq}, {Dim::hidden, width}});
  const TensorId x = c.input("x", full), table = c.parameter("table", {{Dim::seq, seq}, {Dim::hidden, width}});
  const TensorId y = c.output("y", full);
  c.forward(OpKind::positions, {x, table}, {y});
  c.backward(OpKind::positions_grad, {c.seed(y)}, {c.gradient(table)});
  return c;
}

CaseGraph loss_case(int64_t seq, int64_t classes, bool penalized) {
  CaseGraph c;
  const TensorId logits = c.input("logits", batched({{Dim::seq, seq}, {Dim::vocab, classes}}));
  const TensorId labels = c.index("labels", batched({{Dim::seq, seq}}), classes);
  const TensorId loss = c.output("loss", {}), correct = c.output("correct", {});
  const TensorId lse = c.activation("lse", batched({{Dim::seq, seq}}));
  std::vector<TensorId> in = {logits, labels}, gradients = {c.gradient(logits)};
  if (penalized) {
    in.push_back(c.input("penalty", batched({})));
    gradients.push_back(c.gradient(in.back()));
  }
  c.forward(OpKind::softmax_cross_entropy, in, {loss, correct, lse});
  c.backward(OpKind::softmax_cross_entropy_grad, {logits, labels, lse}, gradients);
  c.graph.loss = loss;
  return c;
}

CaseGraph attention_case(int64_t seq, int64_t heads, int64_t head_dim, bool causal) {
  CaseGraph c;
  const TensorId qkv =
      c.input("qkv", batched({{Dim::seq, seq}, {Dim::gate, 3}, {Dim::heads, heads}, {Dim::head_dim, head_dim}}));
  const TensorId y = c.output("y", batched({{Dim::seq, seq}, {Dim::heads, heads}, {Dim::head_dim, head_dim}}));
  const TensorId probs = c.activation("probs", batched({{Dim::heads, heads}, {Dim::seq, seq}, {Dim::kv_seq, seq}}));
  Attributes attr;
  attr.causal = causal;
  c.forward(OpKind::attention, {qkv}, {y, probs}, attr);
  c.backward(OpKind::attention_grad, {qkv, probs, c.seed(y)}, {c.gradient(qkv)}, attr);
  return c;
}

CaseGraph cut_case(OpKind forward, int64_t outer, int64_t begin, int64_t inner) {
  CaseGraph c;
  const bool narrow = forward == OpKind::narrow;
  const auto shape = [](int64_t seq) { return batched({{Dim::seq, seq}, {Dim::hidden, 3}}); };
  const TensorId x = c.input("x", shape(narrow ? outer : inner)), y = c.output("y", shape(narrow ? inner : outer));
  Attributes attr;
  attr.axis = 1, attr.begin = begin;
  c.forward(forward, {x}, {y}, attr);
  c.backward(narrow ? OpKind::pad : OpKind::narrow, {c.seed(y)}, {c.gradient(x)}, attr);
  return c;
}

CaseGraph join_case(int32_t axis, int64_t first, int64_t second) {
  CaseGraph c;
  const auto shape = [&](int64_t size) {
    return batched({{Dim::seq, axis == 1 ? size : 2}, {Dim::hidden, axis == 2 ? size : 3}});
  };
  const TensorId a = c.input("a", shape(first)), b = c.input("b", shape(second)),
                 y = c.output("y", shape(first + second));
  Attributes attr;
  attr.axis = axis;
  c.forward(OpKind::join, {a, b}, {y}, attr);
  const TensorId dy = c.seed(y);
  c.backward(OpKind::narrow, {dy}, {c.gradient(a)}, attr);
  attr.begin = first;
  c.backward(OpKind::narrow, {dy}, {c.gradient(b)}, attr);
  return c;
}

CaseGraph local_response_norm_case(int64_t channels, int64_t window, double exponent) {
  CaseGraph c;
  const Shape full = batched({{Dim::chan_out, channels}, {Dim::height, 3}, {Dim::width, 5}});
  const TensorId x = c.input("x", full), y = c.output("y", full), scale = c.activation("scale", full);
  Attributes attr;
  attr.window = window, attr.alpha = 0.3, attr.exponent = exponent, attr.offset = 2;
  c.forward(OpKind::local_response_norm, {x}, {y, scale}, attr);
  c.backward(OpKind::local_response_norm_grad, {x, c.seed(y), scale}, {c.gradient(x)}, attr);
  return c;
}

CaseGraph patches_case(int64_t channels, int64_t down, int64_t across, int64_t side) {
  CaseGraph c;
  const TensorId x =
      c.input("x", batched({{Dim::chan_in, channels}, {Dim::height, down * side}, {Dim::width, across * side}}));
  const TensorId y = c.output("y", batched({{Dim::seq, down * across}, {Dim::hidden, channels * side * side}}));
  Attributes attr;
  attr.kernel_h = attr.kernel_w = side;
  c.forward(OpKind::patches, {x}, {y}, attr);
  c.backward(OpKind::patches_grad, {c.seed(y)}, {c.gradient(x)}, attr);
  return c;
}

CaseGraph class_token_case(int64_t seq, int64_t width) {
  CaseGraph c;
  const auto shape = [&](int64_t length) { return batched({{Dim::seq, length}, {Dim::hidden, width}}); };
  const TensorId x = c.input("x", shape(seq)), token = c.parameter("token", {{Dim::hidden, width}});
  const TensorId y = c.output("y", shape(seq + 1));
  c.forward(OpKind::class_token, {x, token}, {y});
  const TensorId dy = c.seed(y);
  c.backward(OpKind::class_token_grad, {dy}, {c.gradient(token)});
  Attributes rest;
  rest.axis = 1, rest.begin = 1;
  c.backward(OpKind::narrow, {dy}, {c.gradient(x)}, rest);
  return c;
}

CaseGraph select_positions_case(int64_t seq, int64_t chosen, int64_t width) {
  CaseGraph c;
  const TensorId x = c.input("x", batched({{Dim::seq, seq}, {Dim::hidden, width}}));
  const TensorId places = c.index("places", batched({{Dim::seq, chosen}}), seq);
  const TensorId y = c.output("y", batched({{Dim::seq, chosen}, {Dim::hidden, width}}));
  c.forward(OpKind::select_positions, {x, places}, {y});
  c.backward(OpKind::select_positions_grad, {c.seed(y), places}, {c.gradient(x)});
  return c;
}

CaseGraph lstm_case(int64_t seq, int64_t hidden) {
  CaseGraph c;
  const Shape gates_shape = batched({{Dim::seq, seq}, {Dim::gate, 4}, {Dim::hidden, hidden}});
  const Shape state_shape = batched({{Dim::seq, seq}, {Dim::hidden, hidden}});
  const TensorId xw = c.input("xw", gates_shape);
  const TensorId w = c.parameter("w", {{Dim::gate, 4}, {Dim::hidden, hidden}, {Dim::hidden, hidden}});
  const TensorId h = c.output("h", state_shape), gates = c.activation("gates", gates_shape);
  const TensorId cell = c.activation("cell", state_shape);
  c.forward(OpKind::lstm, {xw, w}, {h, gates, cell});
  const TensorId dxw = c.gradient(xw);
  c.backward(OpKind::lstm_grad_input, {c.seed(h), gates, cell, w}, {dxw});
  c.backward(OpKind::lstm_grad_weight, {h, dxw}, {c.gradient(w)});
  return c;
}

/// A whole mixture of experts, since places that no router has given out mean nothing.
CaseGraph experts_case(const ExpertsCase& z) {
  constexpr int64_t kWidth = 7, kMade = 17;
  CaseGraph c;
  const Extent seq{Dim::seq, z.seq}, experts{Dim::expert, z.experts}, places{Dim::capacity, z.capacity};
  const Shape choices = batched({seq, {Dim::gate, z.choices}}), probabilities = batched({seq, experts});
  const TensorId x = c.input("x", batched({seq, {Dim::hidden, kWidth}})), logits = c.input("logits", probabilities);
  const TensorId w = c.parameter("w", {experts, {Dim::ffn, kMade}, {Dim::hidden, kWidth}});
  const TensorId b = z.bias ? c.parameter("b", {experts, {Dim::ffn, kMade}}) : graph::kNoTensor;
  Attributes attr;
  attr.routing_group = z.group, attr.capacity = z.capacity, attr.weight = 0.5, attr.has_bias = z.bias;

  const TensorId gates = c.activation("gates", choices), slots = c.activation("slots", choices, Type::index);
  const TensorId probs = c.activation("probs", probabilities), dropped = c.output("dropped", {});
  c.forward(OpKind::route, {logits}, {gates, slots, probs, dropped}, attr);
  const TensorId penalty = c.output("penalty", batched({}));
  c.forward(OpKind::load_balance, {probs}, {penalty}, attr);
  const Shape rows = batched({experts, places, {Dim::hidden, kWidth}}),
              made = batched({experts, places, {Dim::ffn, kMade}});
  const TensorId in = c.activation("in", rows), out = c.activation("out", made);
  c.forward(OpKind::dispatch, {x, slots}, {in});
  c.forward(OpKind::expert_linear, z.bias ? std::vector{in, w, b} : std::vector{in, w}, {out}, attr);
  const TensorId y = c.output("y", batched({seq, {Dim::ffn, kMade}}));
  c.forward(OpKind::combine, {out, gates, slots}, {y});

  const TensorId dout = c.activation("dout", made), dgates = c.activation("dgates", choices);
  const TensorId din = c.activation("din", rows), dprobs = c.activation("dprobs", probabilities);
  c.backward(OpKind::combine_grad, {c.seed(y), out, gates, slots}, {dout, dgates});
  const TensorId dw = c.gradient(w);
  c.backward(OpKind::expert_linear_grad_weight, {in, dout}, z.bias ? std::vector{dw, c.gradient(b)} : std::vector{dw},
             attr);
  c.backward(OpKind::expert_linear_grad_input, {dout, w}, {din}, attr);
  c.backward(OpKind::dispatch_grad, {din, slots}, {c.gradient(x)});
  c.backward(OpKind::load_balance_grad, {probs, c.seed(penalty)}, {dprobs}, attr);
  c.backward(OpKind::route_grad, {probs, dgates, dprobs}, {c.gradient(logits)}, attr);
  return c;
}

CaseGraph embedding_bag_case(const std::vector<int64_t>& rows, int64_t ids, int64_t width) {
  CaseGraph c;
  const Extent tables{Dim::table, static_cast<int64_t>(rows.size())};
  const TensorId id = c.index("ids", batched({tables, {Dim::seq, ids}}), 23);
  const TensorId w = c.parameter(
      "tables", {{Dim::vocab, std::accumulate(rows.begin(), rows.end(), int64_t{0})}, {Dim::hidden, width}});
  const TensorId y = c.output("y", batched({tables, {Dim::hidden, width}}));
  c.forward(OpKind::embedding_bag, {id, w}, {y});
  c.backward(OpKind::embedding_bag_grad, {id, c.seed(y)}, {c.gradient(w)});
  for (graph::Tensor& tensor : c.graph.tensors) {
    if (tensor.shape.front().dim == Dim::vocab) tensor.blocks = rows;
  }
  return c;
}

CaseGraph pairwise_dot_case(int64_t vectors, int64_t width) {
  CaseGraph c;
  const TensorId x = c.input("x", batched({{Dim::table, vectors}, {Dim::hidden, width}}));
  const TensorId y = c.output("y", batched({{Dim::hidden, vectors * (vectors - 1) / 2}}));
  c.forward(OpKind::pairwise_dot, {x}, {y});
  c.backward(OpKind::pairwise_dot_grad, {x, c.seed(y)}, {c.gradient(x)});
  return c;
}

CaseGraph binary_loss_case() {
  CaseGraph c;
  const Shape one = batched({{Dim::class_, 1}});
  const TensorId logits = c.input("logits", one), labels = c.index("labels", batched({}), 2);
  const TensorId loss = c.output("loss", {}), correct = c.output("correct", {}), probs = c.activation("probs", one);
  c.forward(OpKind::binary_cross_entropy, {logits, labels}, {loss, correct, probs});
  c.backward(OpKind::binary_cross_entropy_grad, {probs, labels}, {c.gradient(logits)});
  c.graph.loss = loss;
  return c;
}

CaseGraph cast_case(graph::Type type, int64_t width) {
  CaseGraph c;
  const Shape full = batched({{Dim::hidden, width}});
  const TensorId x = c.input("x", full), rounded = c.activation("rounded", full, type), y = c.output("y", full);
  c.forward(OpKind::cast, {x}, {rounded});
  c.forward(OpKind::cast, {rounded}, {y});
  return c;
}

}  // namespace lockstep::kernels::testing
