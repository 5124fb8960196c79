#include "adapters/contract/invariant.h"
#include "reference_trainer/kernels/onednn/ops.h"

namespace lockstep::kernels::onednn {
namespace {

/// In place where that is possible and nobody reads the old values afterwards.
Slot result_of(Compiler& c, const graph::Op& op, graph::TensorId id) {
  return op.attr.in_place ? c.out_over(id, op.in[0], c.plain(op.in[0])) : c.out(id);
}

}  // namespace

void exchange(Compiler& c, const graph::Op& op) {
  const int64_t batch = op.in.empty() ? 0 : batch_of(c.operand(op.in[0]));
  std::vector<Slot> in, out;
  for (const graph::TensorId id : op.in) in.push_back(c.in(id));
  for (const graph::TensorId id : op.out) out.push_back(result_of(c, op, id));
  c.add([=](const StepContext& context) {
    LOCKSTEP_INVARIANT(context.exchanges != nullptr, "nobody carries out {}", op.name);
    std::vector<void*> from, to;
    for (const Slot& slot : in) from.push_back(slot.get());
    for (const Slot& slot : out) to.push_back(slot.get());
    context.exchanges->run(op, context, batch, from, to);
  });
}

}  // namespace lockstep::kernels::onednn
