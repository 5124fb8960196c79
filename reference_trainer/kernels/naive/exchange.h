#pragma once

#include "adapters/contract/invariant.h"
#include "reference_trainer/kernels/naive/call.h"

namespace lockstep::kernels::naive {

template <class T>
void exchange(const Call<T>& call) {
  LOCKSTEP_INVARIANT(call.context.exchanges != nullptr, "nobody carries out exchange {}", call.op.name);
  call.context.exchanges->run(call.attr().exchange, batch_of(call.in[0]), call.in[0].data, call.out[0].data);
}

}  // namespace lockstep::kernels::naive
