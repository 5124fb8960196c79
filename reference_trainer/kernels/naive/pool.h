#pragma once

#include <algorithm>

#include "reference_trainer/kernels/naive/conv2d.h"

namespace lockstep::kernels::naive {

/// Calls visit(output offset, input plane offset, index within the plane) for every element of every window.
template <class Visit>
void for_each_window_element(const graph::Attributes& a, const WindowSize& z, Visit visit) {
  for (int64_t plane = 0; plane < z.n * z.c; ++plane)
    for (int64_t p = 0; p < z.p; ++p)
      for (int64_t q = 0; q < z.q; ++q)
        for (int64_t r = 0; r < a.kernel_h; ++r)
          for (int64_t s = 0; s < a.kernel_w; ++s) {
            const int64_t row = p * a.stride_h - a.pad_top + r, column = q * a.stride_w - a.pad_left + s;
            if (row < 0 || row >= z.h || column < 0 || column >= z.w) continue;
            visit((plane * z.p + p) * z.q + q, plane * z.h * z.w, row * z.w + column);
          }
}

template <class T>
void max_pool(const Call<T>& call) {
  const T* x = call.x(0);
  T* y = call.y(0);
  int32_t* argmax = call.index_out(1);
  std::fill_n(argmax, call.out[0].count, -1);
  std::fill_n(y, call.out[0].count, T(0));
  for_each_window_element(call.attr(), window_size(call.in[0], call.out[0]),
                          [&](int64_t yo, int64_t plane, int64_t index) {
                            if (argmax[yo] >= 0 && !(x[plane + index] > y[yo])) return;
                            y[yo] = x[plane + index];
                            argmax[yo] = static_cast<int32_t>(index);
                          });
}

template <class T>
void max_pool_grad(const Call<T>& call) {
  const WindowSize z = window_size(call.out[0], call.in[0]);
  const T* dy = call.x(0);
  const int32_t* argmax = call.index(1);
  T* dx = call.y(0);
  std::fill_n(dx, call.out[0].count, T(0));
  for (int64_t i = 0; i < call.in[0].count; ++i) {
    if (argmax[i] >= 0) dx[i / (z.p * z.q) * z.h * z.w + argmax[i]] += dy[i];
  }
}

template <class T>
void avg_pool(const Call<T>& call) {
  const T* x = call.x(0);
  T* y = call.y(0);
  const T share = T(1) / T(call.attr().kernel_h * call.attr().kernel_w);
  std::fill_n(y, call.out[0].count, T(0));
  for_each_window_element(call.attr(), window_size(call.in[0], call.out[0]),
                          [&](int64_t yo, int64_t plane, int64_t index) { y[yo] += x[plane + index] * share; });
}

template <class T>
void avg_pool_grad(const Call<T>& call) {
  const T* dy = call.x(0);
  T* dx = call.y(0);
  const T share = T(1) / T(call.attr().kernel_h * call.attr().kernel_w);
  std::fill_n(dx, call.out[0].count, T(0));
  for_each_window_element(call.attr(), window_size(call.out[0], call.in[0]),
                          [&](int64_t yo, int64_t plane, int64_t index) { dx[plane + index] += dy[yo] * share; });
}

}  // namespace lockstep::kernels::naive
