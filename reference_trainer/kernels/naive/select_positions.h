#pragma once

#include <algorithm>

#include "reference_trainer/kernels/naive/call.h"

namespace lockstep::kernels::naive {

/// Calls visit(row of the whole sequence, row of the chosen ones) for every place.
template <class Visit>
void for_each_place(const Operand& places, const int32_t* place, int64_t seq, Visit visit) {
  for (int64_t i = 0; i < places.count; ++i) visit(i / places.dims[1] * seq + place[i], i);
}

template <class T>
void select_positions(const Call<T>& call) {
  const int64_t width = width_of(call.in[0]);
  for_each_place(call.in[1], call.index(1), call.in[0].dims[1], [&](int64_t from, int64_t to) {
    std::copy_n(call.x(0) + from * width, width, call.y(0) + to * width);
  });
}

template <class T>
void select_positions_grad(const Call<T>& call) {
  const int64_t width = width_of(call.in[0]);
  std::fill_n(call.y(0), call.out[0].count, T(0));
  for_each_place(call.in[1], call.index(1), call.out[0].dims[1], [&](int64_t to, int64_t from) {
    for (int64_t i = 0; i < width; ++i) call.y(0)[to * width + i] += call.x(0)[from * width + i];
  });
}

}  // namespace lockstep::kernels::naive
