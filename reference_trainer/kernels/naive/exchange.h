#pragma once

#include "adapters/contract/invariant.h"
#include "reference_trainer/kernels/naive/call.h"

namespace lockstep::kernels::naive {

template <class T>
void exchange(const Call<T>& call) {
  LOCKSTEP_INVARIANT(call.context.exchanges != nullptr, "nobody carries out {}", call.op.name);
  std::vector<void*> in, out;
  for (const Operand& operand : call.in) in.push_back(operand.data);
  for (const Operand& operand : call.out) out.push_back(operand.data);
  const int64_t batch = call.in.empty() ? 0 : batch_of(call.in[0]);
  call.context.exchanges->run(call.op, call.context, batch, in, out);
}

}  // namespace lockstep::kernels::naive
