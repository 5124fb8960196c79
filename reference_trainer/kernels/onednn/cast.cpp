#include "reference_trainer/kernels/onednn/ops.h"
#include "reference_trainer/kernels/onednn/parallel.h"

namespace lockstep::kernels::onednn {
namespace {

constexpr int64_t kUnit = 1024;  // numbers that a thread takes at least

}  // namespace

void cast(Compiler& c, const graph::Op& op) {
  const graph::Type from = c.graph().tensor(op.in[0]).type, to = c.graph().tensor(op.out[0]).type;
  const bool bf16 = from == graph::Type::bf16 || to == graph::Type::bf16;
  const CastCode& code = c.code().cast;
  const Slot x = c.in(op.in[0]), y = c.out(op.out[0]);
  const int64_t n = c.operand(op.in[0]).count;
  if (graph::is_16_bit(to)) {
    c.add([=, loop = bf16 ? code.to_bf16 : code.to_fp16, threads = c.threads()](const StepContext&) {
      parallel_for(threads, n, kUnit, [&](int64_t begin, int64_t end, int) {
        loop(static_cast<uint16_t*>(y.get()) + begin, x.real() + begin, end - begin);
      });
    });
  } else {
    c.add([=, loop = bf16 ? code.from_bf16 : code.from_fp16, threads = c.threads()](const StepContext&) {
      parallel_for(threads, n, kUnit, [&](int64_t begin, int64_t end, int) {
        loop(y.real() + begin, static_cast<const uint16_t*>(x.get()) + begin, end - begin);
      });
    });
  }
}

}  // namespace lockstep::kernels::onednn
