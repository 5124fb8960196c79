#pragma once

#include <algorithm>

#include "reference_trainer/kernels/naive/linear.h"

namespace lockstep::kernels::naive {

/// Sizes of a window op: n samples, c input and o output channels, input h x w, output p x q.
struct WindowSize {
  int64_t n, c, h, w, o, p, q;
};

inline WindowSize window_size(const Operand& x, const Operand& y) {
  return {x.dims[0], x.dims[1], x.dims[2], x.dims[3], y.dims[1], y.dims[2], y.dims[3]};
}

/// Calls visit(x offset, y offset, weight offset, length): runs along a row of the output in which weight element
/// (o, c, r, s) meets x[offset + i * stride_w] and y[offset + i].
template <class Visit>
void for_each_run(const graph::Attributes& a, const WindowSize& z, Visit visit) {
  for (int64_t n = 0; n < z.n; ++n)
    for (int64_t o = 0; o < z.o; ++o)
      for (int64_t c = 0; c < z.c; ++c)
        for (int64_t p = 0; p < z.p; ++p)
          for (int64_t r = 0; r < a.kernel_h; ++r) {
            const int64_t row = p * a.stride_h - a.pad_top + r;
            if (row < 0 || row >= z.h) continue;
            for (int64_t s = 0; s < a.kernel_w; ++s) {
              const int64_t shift = s - a.pad_left;  // column of the input at q = 0
              const int64_t first = shift < 0 ? (-shift + a.stride_w - 1) / a.stride_w : 0;
              const int64_t room = z.w - 1 - shift;
              const int64_t end = room < 0 ? 0 : std::min(z.q, room / a.stride_w + 1);
              if (first >= end) continue;
              visit(((n * z.c + c) * z.h + row) * z.w + shift + first * a.stride_w,
                    ((n * z.o + o) * z.p + p) * z.q + first, ((o * z.c + c) * a.kernel_h + r) * a.kernel_w + s,
                    end - first);
            }
          }
}

template <class T>
void conv2d(const Call<T>& call) {
  const WindowSize z = window_size(call.in[0], call.out[0]);
  const T *x = call.x(0), *w = call.x(1), *b = call.attr().has_bias ? call.x(2) : nullptr;
  T* y = call.y(0);
  const int64_t plane = z.p * z.q, stride = call.attr().stride_w;
  for (int64_t i = 0; i < z.n * z.o; ++i) std::fill_n(y + i * plane, plane, b ? b[i % z.o] : T(0));
  for_each_run(call.attr(), z, [&](int64_t xo, int64_t yo, int64_t wo, int64_t length) {
    for (int64_t i = 0; i < length; ++i) y[yo + i] += x[xo + i * stride] * w[wo];
  });
  for (int64_t i = 0; i < call.out[0].count; ++i) y[i] = activated(y[i], call.attr().activation);
}

template <class T>
void conv2d_grad_input(const Call<T>& call) {
  const WindowSize z = window_size(call.out[0], call.in[0]);
  const T *dy = call.x(0), *w = call.x(1);
  T* dx = call.y(0);
  const int64_t stride = call.attr().stride_w;
  std::fill_n(dx, call.out[0].count, T(0));
  for_each_run(call.attr(), z, [&](int64_t xo, int64_t yo, int64_t wo, int64_t length) {
    for (int64_t i = 0; i < length; ++i) dx[xo + i * stride] += dy[yo + i] * w[wo];
  });
}

template <class T>
void conv2d_grad_weight(const Call<T>& call) {
  const WindowSize z = window_size(call.in[0], call.in[1]);
  const T *x = call.x(0), *dy = call.x(1);
  T* dw = call.y(0);
  const int64_t stride = call.attr().stride_w;
  std::fill_n(dw, call.out[0].count, T(0));
  for_each_run(call.attr(), z, [&](int64_t xo, int64_t yo, int64_t wo, int64_t length) {
    T sum = 0;
    for (int64_t i = 0; i < length; ++i) sum += x[xo + i * stride] * dy[yo + i];
    dw[wo] += sum;
  });
  if (!call.attr().has_bias) return;
  T* db = call.y(1);
  const int64_t plane = z.p * z.q;
  std::fill_n(db, z.o, T(0));
  for (int64_t i = 0; i < z.n * z.o * plane; ++i) db[i / plane % z.o] += dy[i];
}

}  // namespace lockstep::kernels::naive
