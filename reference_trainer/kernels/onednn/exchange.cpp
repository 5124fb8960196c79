#include "adapters/contract/invariant.h"
#include "reference_trainer/kernels/onednn/ops.h"

namespace lockstep::kernels::onednn {

void exchange(Compiler& c, const graph::Op& op) {
  const int64_t batch = batch_of(c.operand(op.in[0]));
  const Slot x = c.in(op.in[0]);
  // In place where nobody reads the old values afterwards and both have the same shape.
  const bool same = c.operand(op.in[0]).dims == c.operand(op.out[0]).dims;
  const Slot y = same ? c.out_over(op.out[0], op.in[0], c.plain(op.in[0])) : c.out(op.out[0]);
  c.add([=, index = op.attr.exchange](const StepContext& context) {
    LOCKSTEP_INVARIANT(context.exchanges != nullptr, "nobody carries out exchange {}", index);
    context.exchanges->run(index, batch, x.get(), y.get());
  });
}

}  // namespace lockstep::kernels::onednn
