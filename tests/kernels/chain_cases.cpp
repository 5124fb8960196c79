#include <fmt/format.h>

#include "tests/kernels/op_cases.h"
#include "tests/kernels/op_makers.h"

namespace lockstep::kernels::testing {

using graph::Attributes;
using graph::Dim;
using graph::OpKind;
using graph::Shape;
using graph::TensorId;
using graph::Type;

namespace {

/// conv -> relu -> max pool -> conv -> tanh -> avg pool -> linear, and all of its gradients.
CaseGraph convolutions(int64_t channels_in, int64_t channels, int64_t classes, bool dense_output) {
  CaseGraph c;
  const WindowCase first{.chan_in = channels_in,
                         .chan_out = channels,
                         .height = 12,
                         .width = 12,
                         .kernel = {3, 3},
                         .pad = {1, 1, 1, 1},
                         .activation = OpKind::relu};
  const WindowCase halve{
      .chan_in = channels, .height = 12, .width = 12, .kernel = {2, 2}, .stride = {2, 2}, .bias = false};
  const WindowCase second{.chan_in = channels,
                          .chan_out = 2 * channels,
                          .height = 6,
                          .width = 6,
                          .kernel = {3, 3},
                          .pad = {1, 1, 1, 1},
                          .activation = OpKind::tanh};
  const WindowCase again{
      .chan_in = 2 * channels, .height = 6, .width = 6, .kernel = {3, 3}, .stride = {3, 3}, .bias = false};
  Attributes linear;
  linear.has_bias = true;

  const TensorId x = c.input("x", batched({{Dim::chan_in, channels_in}, {Dim::height, 12}, {Dim::width, 12}}));
  const auto kernel = [&](const char* name, int64_t out, int64_t in) {
    return c.parameter(name, {{Dim::chan_out, out}, {Dim::chan_in, in}, {Dim::height, 3}, {Dim::width, 3}});
  };
  const auto bias = [&](const char* name, int64_t n) { return c.parameter(name, {{Dim::chan_out, n}}); };
  const TensorId w1 = kernel("w1", channels, channels_in), b1 = bias("b1", channels);
  const TensorId w2 = kernel("w2", 2 * channels, channels), b2 = bias("b2", 2 * channels);
  const TensorId w3 =
      c.parameter("w3", {{Dim::class_, classes}, {Dim::chan_out, 2 * channels}, {Dim::height, 2}, {Dim::width, 2}});
  const TensorId b3 = bias("b3", classes);

  const Shape s1 = first.output(channels), s2 = halve.output(channels), s3 = second.output(2 * channels);
  const Shape s4 = again.output(2 * channels);
  const auto middle = [&](const char* name, const Shape& shape) {
    return dense_output ? c.output(name, shape) : c.activation(name, shape);
  };
  const TensorId y1 = middle("y1", s1), y2 = middle("y2", s2), argmax = c.activation("argmax", s2, Type::index);
  const TensorId y3 = middle("y3", s3), y4 = middle("y4", s4), y5 = c.output("y5", batched({{Dim::class_, classes}}));
  c.forward(OpKind::conv2d, {x, w1, b1}, {y1}, first.attributes());
  c.forward(OpKind::max_pool, {y1}, {y2, argmax}, halve.attributes());
  c.forward(OpKind::conv2d, {y2, w2, b2}, {y3}, second.attributes());
  c.forward(OpKind::avg_pool, {y3}, {y4}, again.attributes());
  c.forward(OpKind::linear, {y4, w3, b3}, {y5}, linear);

  const auto grad = [&](TensorId of, const char* name) {
    const TensorId id = c.activation(name, c.shape(of));
    c.graph.tensors[static_cast<size_t>(id)].of = of;
    return id;
  };
  const TensorId d5 = c.seed(y5), d4 = grad(y4, "g4"), d3 = grad(y3, "g3"), z3 = c.activation("z3", s3);
  const TensorId d2 = grad(y2, "g2"), d1 = grad(y1, "g1"), z1 = c.activation("z1", s1);
  c.backward(OpKind::linear_grad_input, {d5, w3}, {d4}, linear);
  const TensorId dw3 = c.gradient(w3), db3 = c.gradient(b3);
  c.backward(OpKind::linear_grad_weight, {y4, d5}, {dw3, db3}, linear);
  c.backward(OpKind::avg_pool_grad, {d4}, {d3}, again.attributes());
  c.backward(OpKind::tanh_grad, {d3, y3}, {z3});
  c.backward(OpKind::conv2d_grad_input, {z3, w2}, {d2}, second.attributes());
  const TensorId dw2 = c.gradient(w2), db2 = c.gradient(b2);
  c.backward(OpKind::conv2d_grad_weight, {y2, z3}, {dw2, db2}, second.attributes());
  c.backward(OpKind::max_pool_grad, {d2, argmax}, {d1}, halve.attributes());
  c.backward(OpKind::relu_grad, {d1, y1}, {z1});
  const TensorId dw1 = c.gradient(w1), db1 = c.gradient(b1), dx = c.gradient(x);
  c.backward(OpKind::conv2d_grad_weight, {x, z1}, {dw1, db1}, first.attributes());
  c.backward(OpKind::conv2d_grad_input, {z1, w1}, {dx}, first.attributes());
  return c;
}

/// reshape and in-place ops in a row, with a tensor that two ops read: a = x w; b = relu(a); r = reshape(b); y = r +
/// r2, where r2 = gelu(r).
CaseGraph shared_memory(int64_t width) {
  CaseGraph c;
  const Shape flat = batched({{Dim::hidden, 2 * width}}), split = batched({{Dim::heads, 2}, {Dim::head_dim, width}});
  const TensorId x = c.input("x", flat), w = c.parameter("w", {{Dim::hidden, 2 * width}, {Dim::hidden, 2 * width}});
  const TensorId a = c.activation("a", flat), b = c.activation("b", flat), r = c.activation("r", split);
  const TensorId g = c.activation("g", split), s = c.activation("s", split), t = c.activation("t", flat);
  const TensorId y = c.output("y", flat);
  c.forward(OpKind::linear, {x, w}, {a});
  c.forward(OpKind::relu, {a}, {b});
  c.forward(OpKind::reshape, {b}, {r});
  c.forward(OpKind::gelu, {r}, {g});
  c.forward(OpKind::add, {g, r}, {s});
  c.forward(OpKind::reshape, {s}, {t});
  c.forward(OpKind::add, {t, b}, {y});
  return c;
}

}  // namespace

std::vector<OpCase> chain_cases() {
  std::vector<OpCase> cases;
  for (const auto& [in, channels, classes] : {std::tuple{1, 8, 10}, {3, 5, 7}, {2, 16, 10}}) {
    for (const bool dense : {false, true}) {
      const auto make = [=] { return convolutions(in, channels, classes, dense); };
      cases.push_back({fmt::format("chain_conv_{}_{}{}", in, channels, dense ? "_dense" : ""), make, 3, 2e-5, false});
    }
  }
  for (const int64_t width : {1, 7, 16}) {
    cases.push_back({fmt::format("chain_shared_{}", width), [=] { return shared_memory(width); }, 3, 5e-6, false});
  }
  return cases;
}

}  // namespace lockstep::kernels::testing
