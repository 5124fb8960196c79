// Pools are ours, in the format that the neighbouring convolutions use: oneDNN 2.6 spends 10 cycles a number on them.
#include "reference_trainer/kernels/onednn/ops.h"
#include "reference_trainer/kernels/onednn/parallel.h"
#include "reference_trainer/kernels/onednn/planes.h"

namespace lockstep::kernels::onednn {
namespace {

using graph::OpKind;

/// Numbers of a plane of the input and of the output.
struct PlaneSizes {
  int64_t x, y;

  PlaneSizes(const PlaneWindow& z, int64_t block) : x(z.h * z.w * block), y(z.p * z.q * block) {}
};

/// The block in which the forward op worked; an average pool may work in any, that of dy costs no reorder.
int64_t block_of_forward(const Compiler& c, const graph::Op& op) {
  for (const graph::Op& forward : c.graph().ops) {
    if (op.kind == OpKind::max_pool_grad && forward.kind == OpKind::max_pool && forward.out[1] == op.in[1]) {
      return std::max<int64_t>(1, channel_block(c.format(forward.in[0])));
    }
  }
  return std::max<int64_t>(1, channel_block(c.format(op.in[0])));
}

}  // namespace

void pool(Compiler& c, const graph::Op& op) {
  const Operand shape = c.operand(op.in[0]), result = c.operand(op.out[0]);
  const int64_t block = std::max<int64_t>(1, channel_block(c.format(op.in[0])));
  const Format format = blocked(result, block);
  const Slot x = c.in(op.in[0], blocked(shape, block)), y = c.out(op.out[0], format);
  const bool max = op.kind == OpKind::max_pool;
  const Slot chosen = max ? c.opaque_out(op.out[1], static_cast<int64_t>(format.get_size())) : Slot{};
  const PlaneWindow z = window_of(op.attr, shape, result);
  c.add([=, size = PlaneSizes(z, block), count = planes(shape, block), threads = c.threads(),
         code = c.code().pool](const StepContext&) {
    parallel_for(threads, count, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        if (max) {
          code.max(z, block, x.real() + i * size.x, y.real() + i * size.y, chosen.index() + i * size.y);
        } else {
          code.average(z, block, x.real() + i * size.x, y.real() + i * size.y);
        }
      }
    });
  });
}

void pool_grad(Compiler& c, const graph::Op& op) {
  const Operand shape = c.operand(op.out[0]), result = c.operand(op.in[0]);
  const int64_t block = block_of_forward(c, op);
  const bool max = op.kind == OpKind::max_pool_grad;
  const Slot dy = c.in(op.in[0], blocked(result, block)), chosen = max ? c.in(op.in[1]) : Slot{};
  const Slot dx = c.out(op.out[0], blocked(shape, block));
  const PlaneWindow z = window_of(op.attr, shape, result);
  c.add([=, size = PlaneSizes(z, block), count = planes(shape, block), threads = c.threads(),
         code = c.code().pool](const StepContext&) {
    parallel_for(threads, count, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        if (max) {
          code.max_grad(z, block, dy.real() + i * size.y, chosen.index() + i * size.y, dx.real() + i * size.x);
        } else {
          code.average_grad(z, block, dy.real() + i * size.y, dx.real() + i * size.x);
        }
      }
    });
  });
}

}  // namespace lockstep::kernels::onednn
