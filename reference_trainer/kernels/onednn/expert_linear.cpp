#include <cstring>

#include "reference_trainer/kernels/onednn/ops.h"
#include "reference_trainer/kernels/onednn/parallel.h"

namespace lockstep::kernels::onednn {
namespace {

/// Each sample has `rows` rows for each expert, one expert after the other.
struct ExpertSize {
  int64_t samples, experts, rows;

  int64_t first_row(int64_t sample, int64_t expert) const { return (sample * experts + expert) * rows; }
};

ExpertSize size_of_experts(const Operand& places) { return {places.dims[0], places.dims[1], places.dims[2]}; }

/// A product an expert, on each sample's rows with the weight packed once; experts are shared out over the threads.
/// `weight` is the view of expert 0's right operand, k x n, and the others' follow.
void product(Compiler& c, const ExpertSize& z, int64_t k, int64_t n, const Slot& x, const Slot& w, MatrixView view,
             const Slot* bias, const Slot& y) {
  const int64_t each = packed_floats(n, k);
  const int threads = c.threads();
  const Slot scratch = c.scratch(each * threads * int64_t{sizeof(float)});
  c.add([=, has_bias = bias != nullptr, b = bias ? *bias : Slot{}, code = c.code().gemm](const StepContext&) {
    parallel_for(threads, z.experts, 1, [&](int64_t begin, int64_t end, int part) {
      float* packed = scratch.real() + part * each;
      for (int64_t expert = begin; expert < end; ++expert) {
        code.pack({w.real() + expert * n * k, view.row, view.column}, k, n, packed);
        for (int64_t sample = 0; sample < z.samples; ++sample) {
          const int64_t row = z.first_row(sample, expert);
          code.packed({.m = z.rows,
                       .n = n,
                       .k = k,
                       .a = {x.real() + row * k, k, 1},
                       .packed = packed,
                       .panel_stride = k * kPanel,
                       .c = y.real() + row * n,
                       .ldc = n,
                       .bias = has_bias ? b.real() + expert * n : nullptr});
        }
      }
    });
  });
}

}  // namespace

void expert_linear(Compiler& c, const graph::Op& op) {
  const int64_t k = width_of(c.operand(op.in[0])), n = width_of(c.operand(op.out[0]));
  const Slot x = c.in(op.in[0]), w = c.in(op.in[1]), b = op.attr.has_bias ? c.in(op.in[2]) : Slot{};
  product(c, size_of_experts(c.operand(op.in[0])), k, n, x, w, {nullptr, 1, k}, op.attr.has_bias ? &b : nullptr,
          c.out(op.out[0]));
}

void expert_linear_grad_input(Compiler& c, const graph::Op& op) {
  const int64_t n = width_of(c.operand(op.in[0])), k = width_of(c.operand(op.out[0]));
  const Slot dy = c.in(op.in[0]), w = c.in(op.in[1]);
  product(c, size_of_experts(c.operand(op.in[0])), n, k, dy, w, {nullptr, k, 1}, nullptr, c.out(op.out[0]));
}

void expert_linear_grad_weight(Compiler& c, const graph::Op& op) {
  const ExpertSize z = size_of_experts(c.operand(op.in[0]));
  const int64_t k = width_of(c.operand(op.in[0])), n = width_of(c.operand(op.in[1]));
  const Slot x = c.in(op.in[0]), dy = c.in(op.in[1]), dw = c.out(op.out[0]);
  const Slot db = op.attr.has_bias ? c.out(op.out[1]) : Slot{};
  const int64_t each = (gemm_scratch_floats() + 15) / 16 * 16;
  const int threads = c.threads();
  const Slot scratch = c.scratch(each * threads * int64_t{sizeof(float)});
  c.add([=, has_bias = op.attr.has_bias, code = c.code()](const StepContext&) {
    parallel_for(threads, z.experts, 1, [&](int64_t begin, int64_t end, int part) {
      for (int64_t expert = begin; expert < end; ++expert) {
        if (has_bias) std::memset(db.real() + expert * n, 0, static_cast<size_t>(n) * sizeof(float));
        for (int64_t sample = 0; sample < z.samples; ++sample) {
          const int64_t row = z.first_row(sample, expert);
          code.gemm.gemm({.m = n,
                          .n = k,
                          .k = z.rows,
                          .a = {dy.real() + row * n, 1, n},
                          .b = {x.real() + row * k, k, 1},
                          .c = dw.real() + expert * n * k,
                          .ldc = k,
                          .accumulate = sample > 0},
                         scratch.real() + part * each);
          if (has_bias) code.rows.column_sums(dy.real() + row * n, z.rows, n, n, db.real() + expert * n);
        }
      }
    });
  });
}

}  // namespace lockstep::kernels::onednn
