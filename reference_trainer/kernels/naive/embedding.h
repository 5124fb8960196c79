#pragma once

#include <algorithm>

#include "reference_trainer/kernels/naive/call.h"

namespace lockstep::kernels::naive {

template <class T>
void embedding(const Call<T>& call) {
  const int64_t width = width_of(call.in[1]);
  const Rows rows = rows_of_part(call.in[1], 0);
  for (int64_t i = 0; i < call.in[0].count; ++i) {
    const int64_t row = rows.local(call.index(0)[i]);
    if (row < 0) {
      std::fill_n(call.y(0) + i * width, width, T(0));
    } else {
      std::copy_n(call.x(1) + row * width, width, call.y(0) + i * width);
    }
  }
}

template <class T>
void embedding_grad(const Call<T>& call) {
  const int64_t width = width_of(call.out[0]);
  std::fill_n(call.y(0), call.out[0].count, T(0));
  const Rows rows = rows_of_part(call.out[0], 0);
  for (int64_t i = 0; i < call.in[0].count; ++i) {
    const int64_t row = rows.local(call.index(0)[i]);
    if (row < 0) continue;
    for (int64_t j = 0; j < width; ++j) call.y(0)[row * width + j] += call.x(1)[i * width + j];
  }
}

template <class T>
void positions(const Call<T>& call) {
  const int64_t table = call.in[1].count;
  for (int64_t i = 0; i < call.out[0].count; ++i) call.y(0)[i] = call.x(0)[i] + call.x(1)[i % table];
}

template <class T>
void positions_grad(const Call<T>& call) {
  const int64_t table = call.out[0].count;
  std::fill_n(call.y(0), table, T(0));
  for (int64_t i = 0; i < call.in[0].count; ++i) call.y(0)[i % table] += call.x(0)[i];
}

}  // namespace lockstep::kernels::naive
