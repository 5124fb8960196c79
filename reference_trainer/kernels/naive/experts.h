#pragma once

#include <algorithm>

#include "reference_trainer/kernels/naive/call.h"

namespace lockstep::kernels::naive {

/// Calls visit(token, choice, place) for every choice that found a place; the choice is counted through all tokens.
template <class Visit>
void for_each_choice(const Operand& slots, const int32_t* slot, Visit visit) {
  for (int64_t i = 0; i < slots.count; ++i) {
    if (slot[i] >= 0) visit(i / slots.dims[2], i, slot[i]);
  }
}

template <class T>
void dispatch(const Call<T>& call) {
  const int64_t width = width_of(call.in[0]);
  std::fill_n(call.y(0), call.out[0].count, T(0));
  for_each_choice(call.in[1], call.index(1), [&](int64_t token, int64_t, int64_t place) {
    std::copy_n(call.x(0) + token * width, width, call.y(0) + place * width);
  });
}

template <class T>
void dispatch_grad(const Call<T>& call) {
  const int64_t width = width_of(call.in[0]);
  std::fill_n(call.y(0), call.out[0].count, T(0));
  for_each_choice(call.in[1], call.index(1), [&](int64_t token, int64_t, int64_t place) {
    for (int64_t i = 0; i < width; ++i) call.y(0)[token * width + i] += call.x(0)[place * width + i];
  });
}

template <class T>
void combine(const Call<T>& call) {
  const int64_t width = width_of(call.in[0]);
  std::fill_n(call.y(0), call.out[0].count, T(0));
  for_each_choice(call.in[2], call.index(2), [&](int64_t token, int64_t choice, int64_t place) {
    const T gate = call.x(1)[choice];
    for (int64_t i = 0; i < width; ++i) call.y(0)[token * width + i] += gate * call.x(0)[place * width + i];
  });
}

template <class T>
void combine_grad(const Call<T>& call) {
  const int64_t width = width_of(call.in[0]);
  std::fill_n(call.y(0), call.out[0].count, T(0));
  std::fill_n(call.y(1), call.out[1].count, T(0));
  for_each_choice(call.in[3], call.index(3), [&](int64_t token, int64_t choice, int64_t place) {
    const T *dz = call.x(0) + token * width, *y = call.x(1) + place * width, gate = call.x(2)[choice];
    T sum = 0;
    for (int64_t i = 0; i < width; ++i) {
      call.y(0)[place * width + i] = gate * dz[i];
      sum += y[i] * dz[i];
    }
    call.y(1)[choice] = sum;
  });
}

/// Calls visit(expert, row of x, row of y) for every place: places of an [batch, expert, capacity, ..] operand.
template <class Visit>
void for_each_place_of_expert(const Operand& places, Visit visit) {
  const int64_t rows = places.count / width_of(places);
  for (int64_t row = 0; row < rows; ++row) visit(row / places.dims[2] % places.dims[1], row);
}

template <class T>
void expert_linear(const Call<T>& call) {
  const int64_t n = width_of(call.out[0]), k = width_of(call.in[0]);
  for_each_place_of_expert(call.out[0], [&](int64_t expert, int64_t row) {
    const T *x = call.x(0) + row * k, *w = call.x(1) + expert * n * k;
    for (int64_t j = 0; j < n; ++j) {
      T sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += x[l] * w[j * k + l];
      call.y(0)[row * n + j] = sum + (call.attr().has_bias ? call.x(2)[expert * n + j] : T(0));
    }
  });
}

template <class T>
void expert_linear_grad_input(const Call<T>& call) {
  const int64_t n = width_of(call.in[0]), k = width_of(call.out[0]);
  std::fill_n(call.y(0), call.out[0].count, T(0));
  for_each_place_of_expert(call.out[0], [&](int64_t expert, int64_t row) {
    const T *dy = call.x(0) + row * n, *w = call.x(1) + expert * n * k;
    T* dx = call.y(0) + row * k;
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t l = 0; l < k; ++l) dx[l] += dy[j] * w[j * k + l];
    }
  });
}

template <class T>
void expert_linear_grad_weight(const Call<T>& call) {
  const int64_t n = width_of(call.in[1]), k = width_of(call.in[0]);
  std::fill_n(call.y(0), call.out[0].count, T(0));
  if (call.attr().has_bias) std::fill_n(call.y(1), call.out[1].count, T(0));
  for_each_place_of_expert(call.in[0], [&](int64_t expert, int64_t row) {
    const T *x = call.x(0) + row * k, *dy = call.x(1) + row * n;
    T* dw = call.y(0) + expert * n * k;
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t l = 0; l < k; ++l) dw[j * k + l] += dy[j] * x[l];
      if (call.attr().has_bias) call.y(1)[expert * n + j] += dy[j];
    }
  });
}

}  // namespace lockstep::kernels::naive
