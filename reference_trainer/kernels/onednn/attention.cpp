#include "reference_trainer/kernels/onednn/ops.h"
#include "reference_trainer/kernels/onednn/parallel.h"

namespace lockstep::kernels::onednn {
namespace {

/// Where the heads of a [batch, seq, gate 3, heads, head_dim] tensor are; heads of all samples are numbered together.
struct Heads {
  int64_t batch, seq, heads, head_dim;
  bool causal;

  Heads(const Operand& qkv, const graph::Attributes& attr)
      : batch(qkv.dims[0]), seq(qkv.dims[1]), heads(qkv.dims[3]), head_dim(qkv.dims[4]), causal(attr.causal) {}

  int64_t count() const { return batch * heads; }
  int64_t gate() const { return heads * head_dim; }
  int64_t qkv(int64_t head) const { return head / heads * seq * 3 * gate() + head % heads * head_dim; }
  int64_t y(int64_t head) const { return head / heads * seq * gate() + head % heads * head_dim; }
  int64_t probs(int64_t head) const { return head * seq * seq; }
  int64_t scratch() const { return attention_scratch_floats(seq, head_dim); }

  AttentionHead view(const float* q) const {
    return {.causal = causal,
            .seq = seq,
            .head_dim = head_dim,
            .stride = 3 * gate(),
            .y_stride = gate(),
            .q = q,
            .k = q + gate(),
            .v = q + 2 * gate()};
  }
};

}  // namespace

void attention(Compiler& c, const graph::Op& op) {
  const Heads z(c.operand(op.in[0]), op.attr);
  const Slot qkv = c.in(op.in[0]), y = c.out(op.out[0]), probs = c.out(op.out[1]);
  const Slot scratch = c.scratch(z.scratch() * c.threads() * int64_t{sizeof(float)});
  c.add([=, threads = c.threads(), code = c.code()](const StepContext&) {
    parallel_for(threads, z.count(), 1, [&](int64_t begin, int64_t end, int part) {
      for (int64_t head = begin; head < end; ++head) {
        code.attention.forward(z.view(qkv.real() + z.qkv(head)), y.real() + z.y(head), probs.real() + z.probs(head),
                               scratch.real() + part * z.scratch(), code.gemm);
      }
    });
  });
}

void attention_grad(Compiler& c, const graph::Op& op) {
  const Heads z(c.operand(op.in[0]), op.attr);
  const Slot qkv = c.in(op.in[0]), probs = c.in(op.in[1]), dy = c.in(op.in[2]), dqkv = c.out(op.out[0]);
  const Slot scratch = c.scratch(z.scratch() * c.threads() * int64_t{sizeof(float)});
  c.add([=, threads = c.threads(), code = c.code()](const StepContext&) {
    parallel_for(threads, z.count(), 1, [&](int64_t begin, int64_t end, int part) {
      for (int64_t head = begin; head < end; ++head) {
        float* dq = dqkv.real() + z.qkv(head);
        code.attention.backward(z.view(qkv.real() + z.qkv(head)), probs.real() + z.probs(head), dy.real() + z.y(head),
                                dq, dq + z.gate(), dq + 2 * z.gate(), scratch.real() + part * z.scratch(), code.gemm);
      }
    });
  });
}

}  // namespace lockstep::kernels::onednn
