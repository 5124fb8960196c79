#pragma once

#include "reference_trainer/kernels/naive/call.h"
#include "reference_trainer/kernels/sixteen_bits.h"

namespace lockstep::kernels::naive {

template <class T>
void cast(const Call<T>& call) {
  const graph::Type from = call.in[0].tensor->type, to = call.out[0].tensor->type;
  if (graph::is_16_bit(to)) {
    auto* y = call.out[0].template as<uint16_t>();
    for (int64_t i = 0; i < call.out[0].count; ++i) y[i] = to_16_bits(call.x(0)[i], format_of(to));
  } else {
    const auto* x = call.in[0].template as<const uint16_t>();
    for (int64_t i = 0; i < call.out[0].count; ++i) call.y(0)[i] = from_16_bits<T>(x[i], format_of(from));
  }
}

}  // namespace lockstep::kernels::naive
