#include <algorithm>
#include <cstring>

#include "reference_trainer/kernels/onednn/multiply.h"
#include "reference_trainer/kernels/onednn/ops.h"
#include "reference_trainer/kernels/onednn/parallel.h"

namespace lockstep::kernels::onednn {
namespace {

struct LstmSize {
  int64_t batch, seq, hidden;

  explicit LstmSize(const Operand& gates) : batch(gates.dims[0]), seq(gates.dims[1]), hidden(gates.dims[3]) {}
  int64_t row(int64_t sample, int64_t t) const { return sample * seq + t; }
  int64_t gates() const { return 4 * hidden; }
};

/// Slot of floats.
Slot floats(Compiler& c, int64_t count) { return c.scratch(count * int64_t{sizeof(float)}); }

/// c = a * packed, with k cut so that a panel stays in the first cache.
void multiply_packed(const GemmCode& code, PackedGemm g) {
  constexpr int64_t kPart = 256;
  const int64_t k = g.k;
  for (int64_t k0 = 0; k0 < k; k0 += kPart) {
    PackedGemm part = g;
    part.k = std::min(kPart, k - k0);
    part.a.data = g.a.at(0, k0);
    part.packed = g.packed + k0 * kPanel;
    part.accumulate = k0 > 0;
    code.packed(part);
  }
}

}  // namespace

/// The recurrent weights are packed once a run. Threads take samples, so that they never wait for each other.
void lstm(Compiler& c, const graph::Op& op) {
  const LstmSize z(c.operand(op.in[0]));
  const Slot xw = c.in(op.in[0]), w = c.in(op.in[1]);
  const Slot h = c.out(op.out[0]), gates = c.out(op.out[1]), cell = c.out(op.out[2]);
  const Slot packed = floats(c, packed_floats(z.gates(), z.hidden));
  const Slot products = floats(c, z.batch * z.gates()), state = floats(c, z.batch * z.hidden);
  c.add([=, threads = c.threads(), code = c.code()](const StepContext&) {
    code.gemm.pack({w.real(), 1, z.hidden}, z.hidden, z.gates(), packed.real());
    parallel_for(threads, z.batch, 1, [&](int64_t begin, int64_t end, int) {
      float *product = products.real() + begin * z.gates(), *before = state.real() + begin * z.hidden;
      for (int64_t t = 0; t < z.seq; ++t) {
        if (t > 0) {
          multiply_packed(code.gemm, {.m = end - begin,
                                      .n = z.gates(),
                                      .k = z.hidden,
                                      .a = {before, z.hidden, 1},
                                      .packed = packed.real(),
                                      .panel_stride = z.hidden * kPanel,
                                      .c = product,
                                      .ldc = z.gates()});
        }
        for (int64_t n = begin; n < end; ++n) {
          const int64_t row = z.row(n, t), at = row * z.hidden;
          code.lstm.cell(xw.real() + row * z.gates(), t > 0 ? product + (n - begin) * z.gates() : nullptr,
                         t > 0 ? cell.real() + at - z.hidden : nullptr, gates.real() + row * z.gates(),
                         cell.real() + at, h.real() + at, before + (n - begin) * z.hidden, z.hidden);
        }
      }
    });
  });
}

void lstm_grad_input(Compiler& c, const graph::Op& op) {
  const LstmSize z(c.operand(op.out[0]));
  const Slot dh = c.in(op.in[0]), gates = c.in(op.in[1]), cell = c.in(op.in[2]), w = c.in(op.in[3]);
  const Slot dxw = c.out(op.out[0]);
  const Slot packed = floats(c, packed_floats(z.hidden, z.gates()));
  const Slot states = floats(c, z.batch * (z.gates() + 2 * z.hidden));  // a sample's: gates, dh, dc
  c.add([=, threads = c.threads(), code = c.code()](const StepContext&) {
    code.gemm.pack({w.real(), z.hidden, 1}, z.gates(), z.hidden, packed.real());
    parallel_for(threads, z.batch, 1, [&](int64_t begin, int64_t end, int) {
      float* const compact = states.real() + begin * (z.gates() + 2 * z.hidden);
      float *const from_later = compact + (end - begin) * z.gates(), *const dc = from_later + (end - begin) * z.hidden;
      for (int64_t t = z.seq - 1; t >= 0; --t) {
        const bool last = t == z.seq - 1;
        for (int64_t n = begin; n < end; ++n) {
          const int64_t row = z.row(n, t), at = row * z.hidden, mine = (n - begin) * z.hidden;
          code.lstm.cell_grad(gates.real() + row * z.gates(), cell.real() + at,
                              t > 0 ? cell.real() + at - z.hidden : nullptr, dh.real() + at,
                              last ? nullptr : from_later + mine, dc + mine, dxw.real() + row * z.gates(),
                              compact + (n - begin) * z.gates(), z.hidden);
        }
        if (t == 0) break;
        multiply_packed(code.gemm, {.m = end - begin,
                                    .n = z.hidden,
                                    .k = z.gates(),
                                    .a = {compact, z.gates(), 1},
                                    .packed = packed.real(),
                                    .panel_stride = z.gates() * kPanel,
                                    .c = from_later,
                                    .ldc = z.hidden});
      }
    });
  });
}

/// One product over all samples and steps, with h moved by one step and zero at the first.
void lstm_grad_weight(Compiler& c, const graph::Op& op) {
  const LstmSize z(c.operand(op.in[1]));
  const Slot h = c.in(op.in[0]), dxw = c.in(op.in[1]), dw = c.out(op.out[0]);
  const int64_t rows = z.batch * z.seq;
  const Slot before = floats(c, rows * z.hidden);
  const Multiply multiply(c, z.gates(), z.hidden);
  c.add([=](const StepContext&) {
    const size_t step = static_cast<size_t>(z.hidden) * sizeof(float);
    for (int64_t n = 0; n < z.batch; ++n) {
      float* to = before.real() + z.row(n, 0) * z.hidden;
      std::memset(to, 0, step);
      std::memcpy(to + z.hidden, h.real() + z.row(n, 0) * z.hidden, step * static_cast<size_t>(z.seq - 1));
    }
    multiply({.m = z.gates(),
              .n = z.hidden,
              .k = rows,
              .a = {dxw.real(), 1, z.gates()},
              .b = {before.real(), z.hidden, 1},
              .c = dw.real(),
              .ldc = z.hidden});
  });
}

}  // namespace lockstep::kernels::onednn
