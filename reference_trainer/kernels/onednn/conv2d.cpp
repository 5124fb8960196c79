#include <dnnl.hpp>

#include "reference_trainer/kernels/onednn/ops.h"

namespace lockstep::kernels::onednn {
namespace {

using dnnl::memory;

Format any(const Operand& x) {
  return {memory::dims(x.dims.begin(), x.dims.end()), memory::data_type::f32, memory::format_tag::any};
}

dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

dnnl::convolution_forward::primitive_desc forward_desc(Compiler& c, const graph::Attributes& a, const Operand& x,
                                                       const Operand& w, const Operand& y,
                                                       const dnnl::primitive_attr& attr) {
  const auto kind = c.training() ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
  const memory::dims strides = {a.stride_h, a.stride_w}, before = {a.pad_top, a.pad_left},
                     after = {a.pad_bottom, a.pad_right};
  const auto algorithm = dnnl::algorithm::convolution_auto;
  const Format bias({w.dims[0]}, memory::data_type::f32, memory::format_tag::x);
  if (a.has_bias) {
    return {{kind, algorithm, any(x), any(w), bias, any(y), strides, before, after}, attr, c.engine()};
  }
  return {{kind, algorithm, any(x), any(w), any(y), strides, before, after}, attr, c.engine()};
}

/// Adds the memory that a primitive works in.
void add_with_scratchpad(Compiler& c, const dnnl::primitive& primitive, const Format& scratchpad,
                         std::vector<Argument> arguments) {
  arguments.push_back({DNNL_ARG_SCRATCHPAD, scratchpad, c.scratch(static_cast<int64_t>(scratchpad.get_size()))});
  c.add(primitive, arguments);
}

}  // namespace

void conv2d(Compiler& c, const graph::Op& op) {
  dnnl::primitive_attr attr = user_scratchpad();
  if (op.attr.activation != graph::OpKind::none) {
    dnnl::post_ops after;
    const bool relu = op.attr.activation == graph::OpKind::relu;
    after.append_eltwise(1.0f, relu ? dnnl::algorithm::eltwise_relu : dnnl::algorithm::eltwise_tanh, 0.0f, 0.0f);
    attr.set_post_ops(after);
  }
  const auto desc = forward_desc(c, op.attr, c.operand(op.in[0]), c.operand(op.in[1]), c.operand(op.out[0]), attr);
  std::vector<Argument> arguments = {{DNNL_ARG_SRC, desc.src_desc(), c.in(op.in[0], desc.src_desc())},
                                     {DNNL_ARG_WEIGHTS, desc.weights_desc(), c.in(op.in[1], desc.weights_desc())},
                                     {DNNL_ARG_DST, desc.dst_desc(), c.out(op.out[0], desc.dst_desc())}};
  if (op.attr.has_bias) arguments.push_back({DNNL_ARG_BIAS, desc.bias_desc(), c.in(op.in[2])});
  add_with_scratchpad(c, dnnl::convolution_forward(desc), desc.scratchpad_desc(), arguments);
}

void conv2d_grad_input(Compiler& c, const graph::Op& op) {
  const graph::Attributes& a = op.attr;
  const Operand dy = c.operand(op.in[0]), w = c.operand(op.in[1]), dx = c.operand(op.out[0]);
  const dnnl::convolution_backward_data::primitive_desc desc({dnnl::algorithm::convolution_auto,
                                                              any(dx),
                                                              any(w),
                                                              any(dy),
                                                              {a.stride_h, a.stride_w},
                                                              {a.pad_top, a.pad_left},
                                                              {a.pad_bottom, a.pad_right}},
                                                             user_scratchpad(), c.engine(),
                                                             forward_desc(c, a, dx, w, dy, user_scratchpad()));
  add_with_scratchpad(c, dnnl::convolution_backward_data(desc), desc.scratchpad_desc(),
                      {{DNNL_ARG_DIFF_DST, desc.diff_dst_desc(), c.in(op.in[0], desc.diff_dst_desc())},
                       {DNNL_ARG_WEIGHTS, desc.weights_desc(), c.in(op.in[1], desc.weights_desc())},
                       {DNNL_ARG_DIFF_SRC, desc.diff_src_desc(), c.out(op.out[0], desc.diff_src_desc())}});
}

void conv2d_grad_weight(Compiler& c, const graph::Op& op) {
  const graph::Attributes& a = op.attr;
  const Operand x = c.operand(op.in[0]), dy = c.operand(op.in[1]), dw = c.operand(op.out[0]);
  if (few_channels(x)) return conv2d_grad_weight_few_channels(c, op);
  const memory::dims strides = {a.stride_h, a.stride_w}, before = {a.pad_top, a.pad_left},
                     after = {a.pad_bottom, a.pad_right};
  const Format bias({dw.dims[0]}, memory::data_type::f32, memory::format_tag::x);
  using Desc = dnnl::convolution_backward_weights::desc;
  const auto algorithm = dnnl::algorithm::convolution_auto;
  const Desc wanted = a.has_bias ? Desc(algorithm, any(x), any(dw), bias, any(dy), strides, before, after)
                                 : Desc(algorithm, any(x), any(dw), any(dy), strides, before, after);
  const dnnl::convolution_backward_weights::primitive_desc desc(wanted, user_scratchpad(), c.engine(),
                                                                forward_desc(c, a, x, dw, dy, user_scratchpad()));
  std::vector<Argument> arguments = {
      {DNNL_ARG_SRC, desc.src_desc(), c.in(op.in[0], desc.src_desc())},
      {DNNL_ARG_DIFF_DST, desc.diff_dst_desc(), c.in(op.in[1], desc.diff_dst_desc())},
      {DNNL_ARG_DIFF_WEIGHTS, desc.diff_weights_desc(), c.out(op.out[0], desc.diff_weights_desc())}};
  if (a.has_bias) arguments.push_back({DNNL_ARG_DIFF_BIAS, desc.diff_bias_desc(), c.out(op.out[1])});
  add_with_scratchpad(c, dnnl::convolution_backward_weights(desc), desc.scratchpad_desc(), arguments);
}

}  // namespace lockstep::kernels::onednn
