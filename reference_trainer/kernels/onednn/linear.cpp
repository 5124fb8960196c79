#include <cstring>

#include "reference_trainer/kernels/onednn/multiply.h"
#include "reference_trainer/kernels/onednn/ops.h"
#include "reference_trainer/kernels/onednn/parallel.h"

namespace lockstep::kernels::onednn {
namespace {

/// Rows m, inputs k and outputs n of a linear op.
struct GemmSize {
  int64_t m, n, k;
};

GemmSize size_of(const Operand& x, const Operand& y) {
  const int64_t m = rows_of(x);
  return {m, y.count / m, x.count / m};
}

}  // namespace

void linear(Compiler& c, const graph::Op& op) {
  const auto [m, n, k] = size_of(c.operand(op.in[0]), c.operand(op.out[0]));
  const Slot x = c.in(op.in[0]), w = c.in(op.in[1]), b = op.attr.has_bias ? c.in(op.in[2]) : Slot{};
  const Slot y = c.out(op.out[0]);
  const bool has_bias = op.attr.has_bias;
  const Finish finish = op.attr.activation == graph::OpKind::relu ? Finish::relu : Finish::none;
  const Multiply multiply(c, m, n);
  c.add([=](const StepContext&) {
    multiply({.m = m,
              .n = n,
              .k = k,
              .a = {x.real(), k, 1},
              .b = {w.real(), 1, k},
              .c = y.real(),
              .ldc = n,
              .bias = has_bias ? b.real() : nullptr,
              .finish = finish});
  });
  if (op.attr.activation == graph::OpKind::tanh) {
    c.add([y, count = m * n, threads = c.threads(), code = c.code().pointwise](const StepContext&) {
      parallel_for(threads, count, 1024, [&](int64_t begin, int64_t end, int) {
        code.tanh(y.real() + begin, y.real() + begin, end - begin);
      });
    });
  }
}

void linear_grad_input(Compiler& c, const graph::Op& op) {
  const auto [m, n, k] = size_of(c.operand(op.out[0]), c.operand(op.in[0]));
  const Slot dy = c.in(op.in[0]), w = c.in(op.in[1]), dx = c.out(op.out[0]);
  const Multiply multiply(c, m, k);
  c.add([=](const StepContext&) {
    multiply({.m = m, .n = k, .k = n, .a = {dy.real(), n, 1}, .b = {w.real(), k, 1}, .c = dx.real(), .ldc = k});
  });
}

void linear_grad_weight(Compiler& c, const graph::Op& op) {
  const auto [m, n, k] = size_of(c.operand(op.in[0]), c.operand(op.in[1]));
  const Slot x = c.in(op.in[0]), dy = c.in(op.in[1]), dw = c.out(op.out[0]);
  const Multiply multiply(c, n, k);
  c.add([=](const StepContext&) {
    multiply({.m = n, .n = k, .k = m, .a = {dy.real(), 1, n}, .b = {x.real(), k, 1}, .c = dw.real(), .ldc = k});
  });
  if (!op.attr.has_bias) return;
  c.add([dy, db = c.out(op.out[1]), m, n, threads = c.threads(), code = c.code().rows](const StepContext&) {
    parallel_for(threads, n, 16, [&](int64_t begin, int64_t end, int) {
      std::memset(db.real() + begin, 0, static_cast<size_t>(end - begin) * sizeof(float));
      code.column_sums(dy.real() + begin, m, end - begin, n, db.real() + begin);
    });
  });
}

}  // namespace lockstep::kernels::onednn
