#include <dnnl.hpp>

#include "reference_trainer/kernels/onednn/ops.h"

namespace lockstep::kernels::onednn {
namespace {

using graph::OpKind;

dnnl::pooling_forward::primitive_desc forward_desc(Compiler& c, const graph::Op& op, const Format& x,
                                                   const Operand& y) {
  const graph::Attributes& a = op.attr;
  const bool max = op.kind == OpKind::max_pool || op.kind == OpKind::max_pool_grad;
  const auto kind = c.training() ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
  const Format any(dnnl::memory::dims(y.dims.begin(), y.dims.end()), dnnl::memory::data_type::f32,
                   dnnl::memory::format_tag::any);
  return {{kind,
           max ? dnnl::algorithm::pooling_max : dnnl::algorithm::pooling_avg_include_padding,
           x,
           any,
           {a.stride_h, a.stride_w},
           {a.kernel_h, a.kernel_w},
           {a.pad_top, a.pad_left},
           {a.pad_bottom, a.pad_right}},
          c.engine()};
}

/// The format of x when the forward op ran. An average pool has no workspace: any format is right, x's is best.
Format format_of_forward_input(const Compiler& c, const graph::Op& op) {
  graph::TensorId x = c.graph().tensor(op.out[0]).of;
  for (const graph::Op& forward : c.graph().ops) {
    if (forward.kind == OpKind::max_pool && op.kind == OpKind::max_pool_grad && forward.out[1] == op.in[1]) {
      x = forward.in[0];
    }
  }
  return x == graph::kNoTensor ? c.plain(op.out[0]) : c.format(x);
}

}  // namespace

void pool(Compiler& c, const graph::Op& op) {
  const Format x = c.format(op.in[0]);
  const auto desc = forward_desc(c, op, x, c.operand(op.out[0]));
  std::vector<Argument> arguments = {{DNNL_ARG_SRC, x, c.in(op.in[0], x)},
                                     {DNNL_ARG_DST, desc.dst_desc(), c.out(op.out[0], desc.dst_desc())}};
  if (op.kind == OpKind::max_pool && c.training()) {
    const Format workspace = desc.workspace_desc();
    arguments.push_back(
        {DNNL_ARG_WORKSPACE, workspace, c.opaque_out(op.out[1], static_cast<int64_t>(workspace.get_size()))});
  }
  c.add(dnnl::pooling_forward(desc), arguments);
}

void pool_grad(Compiler& c, const graph::Op& op) {
  // dx in the format that x had, so that the forward primitive, and its workspace, are the same.
  const bool max = op.kind == OpKind::max_pool_grad;
  const Format x = format_of_forward_input(c, op);
  const auto forward = forward_desc(c, op, x, c.operand(op.in[0]));
  const graph::Attributes& a = op.attr;
  const dnnl::pooling_backward::primitive_desc desc(
      {max ? dnnl::algorithm::pooling_max : dnnl::algorithm::pooling_avg_include_padding,
       x,
       forward.dst_desc(),
       {a.stride_h, a.stride_w},
       {a.kernel_h, a.kernel_w},
       {a.pad_top, a.pad_left},
       {a.pad_bottom, a.pad_right}},
      c.engine(), forward);
  std::vector<Argument> arguments = {{DNNL_ARG_DIFF_DST, forward.dst_desc(), c.in(op.in[0], forward.dst_desc())},
                                     {DNNL_ARG_DIFF_SRC, x, c.out(op.out[0], x)}};
  if (max) arguments.push_back({DNNL_ARG_WORKSPACE, forward.workspace_desc(), c.in(op.in[1])});
  c.add(dnnl::pooling_backward(desc), arguments);
}

}  // namespace lockstep::kernels::onednn
