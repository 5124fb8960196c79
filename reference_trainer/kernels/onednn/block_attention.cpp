#include "reference_trainer/kernels/block_attention.h"

#include <cstring>

#include "reference_trainer/kernels/onednn/ops.h"
#include "reference_trainer/kernels/onednn/parallel.h"

namespace lockstep::kernels::onednn {
namespace {

std::vector<Slot> inputs(Compiler& c, const graph::Op& op) {
  std::vector<Slot> slots;
  for (const graph::TensorId id : op.in) slots.push_back(c.in(id));
  return slots;
}

/// Outputs that go on from inputs `first` and later, over their memory where nobody else reads it.
std::vector<Slot> outputs(Compiler& c, const graph::Op& op, size_t first) {
  std::vector<Slot> slots;
  for (size_t k = 0; k < op.out.size(); ++k) {
    const bool goes_on = first + k < op.in.size();
    slots.push_back(goes_on ? c.out_over(op.out[k], op.in[first + k], c.plain(op.out[k])) : c.out(op.out[k]));
  }
  return slots;
}

/// Brings an output to where the block starts: the sums so far, or nothing yet.
void begin_with(const Slot* before, const Slot& out, int64_t count, float nothing) {
  if (before == nullptr) {
    std::fill_n(out.real(), count, nothing);
  } else if (before->real() != out.real()) {
    std::memcpy(out.real(), before->real(), static_cast<size_t>(count) * sizeof(float));
  }
}

/// Of an output tensor [batch, seq, heads, head_dim].
BlockShape rows_shape(const Operand& y) { return {y.dims[1], 0, y.dims[2], y.dims[3], {}}; }

template <class Body>
void for_each_head(Compiler& c, int64_t heads, Body body) {
  c.add([=, threads = c.threads()](const StepContext&) {
    parallel_for(threads, heads, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t head = begin; head < end; ++head) body(head);
    });
  });
}

}  // namespace

void block_attention(Compiler& c, const graph::Op& op) {
  const BlockShape z = block_shape(c.graph().tensor(op.in[0]), c.graph().tensor(op.in[1]));
  const std::vector<Slot> in = inputs(c, op), out = outputs(c, op, 2);
  for (size_t k = 0; k < out.size(); ++k) {
    c.add([=, count = c.operand(op.out[k]).count](const StepContext&) {
      begin_with(in.size() > 2 ? &in[2 + k] : nullptr, out[k], count, kNoBlock<float>[k]);
    });
  }
  for_each_head(c, c.operand(op.in[0]).dims[0] * z.heads, [=](int64_t head) {
    kernels::block_attention(z, head, in[0].real(), in[1].real(), out[0].real(), out[1].real(), out[2].real());
  });
}

void block_attention_total(Compiler& c, const graph::Op& op) {
  const Operand acc = c.operand(op.in[0]);
  const std::vector<Slot> in = inputs(c, op);
  const Slot y = c.out(op.out[0]), lse = c.out(op.out[1]);
  for_each_head(c, acc.dims[0] * acc.dims[2], [=, z = rows_shape(acc)](int64_t head) {
    kernels::block_attention_total(z, head, in[0].real(), in[1].real(), in[2].real(), y.real(), lse.real());
  });
}

void attention_delta(Compiler& c, const graph::Op& op) {
  const Operand y = c.operand(op.in[0]);
  const std::vector<Slot> in = inputs(c, op);
  const Slot delta = c.out(op.out[0]);
  for_each_head(c, y.dims[0] * y.dims[2], [=, z = rows_shape(y)](int64_t head) {
    kernels::attention_delta(z, head, in[0].real(), in[1].real(), delta.real());
  });
}

void block_attention_grad(Compiler& c, const graph::Op& op) {
  const BlockShape z = block_shape(c.graph().tensor(op.in[0]), c.graph().tensor(op.in[1]));
  const std::vector<Slot> in = inputs(c, op), out = outputs(c, op, 5);
  for (size_t k = 0; k < out.size(); ++k) {
    c.add([=, count = c.operand(op.out[k]).count](const StepContext&) {
      begin_with(in.size() > 5 ? &in[5 + k] : nullptr, out[k], count, 0);
    });
  }
  for_each_head(c, c.operand(op.in[0]).dims[0] * z.heads, [=](int64_t head) {
    kernels::block_attention_grad(z, head, in[0].real(), in[1].real(), in[2].real(), in[3].real(), in[4].real(),
                                  out[0].real(), out[1].real());
  });
}

}  // namespace lockstep::kernels::onednn
