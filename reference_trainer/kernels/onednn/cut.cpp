#include <cstring>

#include "reference_trainer/kernels/onednn/ops.h"

namespace lockstep::kernels::onednn {
namespace {

void copy(const float* from, int64_t count, float* to) {
  std::memcpy(to, from, static_cast<size_t>(count) * sizeof(float));
}

}  // namespace

void narrow(Compiler& c, const graph::Op& op) {
  const Around all = around(c.operand(op.in[0]), op.attr.axis), some = around(c.operand(op.out[0]), op.attr.axis);
  const Slot x = c.in(op.in[0]), y = c.out(op.out[0]);
  c.add([=, begin = op.attr.begin](const StepContext&) {
    const int64_t taken = some.positions * some.inner;
    for (int64_t o = 0; o < all.outer; ++o)
      copy(x.real() + (o * all.positions + begin) * all.inner, taken, y.real() + o * taken);
  });
}

void pad(Compiler& c, const graph::Op& op) {
  const Around some = around(c.operand(op.in[0]), op.attr.axis), all = around(c.operand(op.out[0]), op.attr.axis);
  const Slot x = c.in(op.in[0]), y = c.out(op.out[0]);
  c.add([=, begin = op.attr.begin](const StepContext&) {
    const int64_t given = some.positions * some.inner, made = all.positions * all.inner;
    std::memset(y.real(), 0, static_cast<size_t>(all.outer * made) * sizeof(float));
    for (int64_t o = 0; o < all.outer; ++o) copy(x.real() + o * given, given, y.real() + o * made + begin * all.inner);
  });
}

void join(Compiler& c, const graph::Op& op) {
  const Around first = around(c.operand(op.in[0]), op.attr.axis), second = around(c.operand(op.in[1]), op.attr.axis);
  const Slot a = c.in(op.in[0]), b = c.in(op.in[1]), y = c.out(op.out[0]);
  c.add([=](const StepContext&) {
    const int64_t of_a = first.positions * first.inner, of_b = second.positions * second.inner;
    for (int64_t o = 0; o < first.outer; ++o) {
      copy(a.real() + o * of_a, of_a, y.real() + o * (of_a + of_b));
      copy(b.real() + o * of_b, of_b, y.real() + o * (of_a + of_b) + of_a);
    }
  });
}

}  // namespace lockstep::kernels::onednn
