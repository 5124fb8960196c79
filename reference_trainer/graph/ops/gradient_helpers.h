#pragma once

#include "reference_trainer/graph/gradients.h"

namespace lockstep::graph::ops {

/// Gradient of a product (x, w, [b]) -> (y), such as linear and conv2d: first that of the weight (and bias), so that
/// its exchange can start early, then that of the input where it is wanted.
template <OpKind grad_weight, OpKind grad_input>
void differentiate_product(Gradients& gradients, const Op& op) {
  const TensorId dy = gradients.of(op.out[0]), x = op.in[0], w = op.in[1];
  const TensorId dw = gradients.make(w);
  Op weight{grad_weight, op.name + ".grad_weight", {x, dy}, {dw}, op.attr};
  if (op.attr.has_bias) weight.out.push_back(gradients.make(op.in[2]));
  gradients.add(weight);
  gradients.contribute(w, dw);
  if (op.attr.has_bias) gradients.contribute(op.in[2], weight.out[1]);
  if (!gradients.wanted(x)) return;
  const TensorId dx = gradients.make(x);
  gradients.add({grad_input, op.name + ".grad_input", {dy, w}, {dx}, op.attr});
  gradients.contribute(x, dx);
}

/// Gradient of a norm (x, gamma, beta, ...) -> (y, mean, rstd).
template <OpKind grad>
void differentiate_norm(Gradients& gradients, const Op& op) {
  const TensorId dx = gradients.make(op.in[0]), dgamma = gradients.make(op.in[1]), dbeta = gradients.make(op.in[2]);
  gradients.add({grad,
                 op.name + ".grad",
                 {op.in[0], gradients.of(op.out[0]), op.in[1], op.out[1], op.out[2]},
                 {dx, dgamma, dbeta},
                 op.attr});
  gradients.contribute(op.in[1], dgamma);
  gradients.contribute(op.in[2], dbeta);
  if (gradients.wanted(op.in[0])) gradients.contribute(op.in[0], dx);
}

}  // namespace lockstep::graph::ops
