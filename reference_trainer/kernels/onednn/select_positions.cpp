#include <cstring>

#include "reference_trainer/kernels/onednn/ops.h"

namespace lockstep::kernels::onednn {

void select_positions(Compiler& c, const graph::Op& op) {
  const Operand places = c.operand(op.in[1]);
  const int64_t width = width_of(c.operand(op.in[0])), seq = c.operand(op.in[0]).dims[1], chosen = places.dims[1];
  const Slot x = c.in(op.in[0]), place = c.in(op.in[1]), y = c.out(op.out[0]);
  c.add([=, count = places.count](const StepContext&) {
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(y.real() + i * width, x.real() + (i / chosen * seq + place.index()[i]) * width,
                  static_cast<size_t>(width) * sizeof(float));
    }
  });
}

/// Adds, for two places may be the same.
void select_positions_grad(Compiler& c, const graph::Op& op) {
  const Operand places = c.operand(op.in[1]), all = c.operand(op.out[0]);
  const int64_t width = width_of(all), seq = all.dims[1], chosen = places.dims[1];
  const Slot dy = c.in(op.in[0]), place = c.in(op.in[1]), dx = c.out(op.out[0]);
  c.add([=, count = places.count, numbers = all.count, code = c.code().update32](const StepContext&) {
    std::memset(dx.real(), 0, static_cast<size_t>(numbers) * sizeof(float));
    for (int64_t i = 0; i < count; ++i)
      code.accumulate(dx.real() + (i / chosen * seq + place.index()[i]) * width, dy.real() + i * width, width);
  });
}

}  // namespace lockstep::kernels::onednn
