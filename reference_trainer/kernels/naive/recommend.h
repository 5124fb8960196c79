#pragma once

#include <algorithm>
#include <cmath>

#include "reference_trainer/kernels/naive/call.h"
#include "reference_trainer/kernels/tables.h"

namespace lockstep::kernels::naive {

template <class T>
void embedding_bag(const Call<T>& call) {
  const int64_t width = width_of(call.in[1]);
  std::fill_n(call.y(0), call.out[0].count, T(0));
  for_each_id(Tables(call.in[0], call.in[1]), call.index(0), 0, batch_rows(call.in[0]), [&](int64_t bag, int64_t row) {
    for (int64_t i = 0; i < width; ++i) call.y(0)[bag * width + i] += call.x(1)[row * width + i];
  });
}

template <class T>
void embedding_bag_grad(const Call<T>& call) {
  const int64_t width = width_of(call.out[0]);
  std::fill_n(call.y(0), call.out[0].count, T(0));
  for_each_id(Tables(call.in[0], call.out[0]), call.index(0), 0, batch_rows(call.in[0]), [&](int64_t bag, int64_t row) {
    for (int64_t i = 0; i < width; ++i) call.y(0)[row * width + i] += call.x(1)[bag * width + i];
  });
}

template <class T>
void pairwise_dot(const Call<T>& call) {
  const int64_t vectors = call.in[0].dims[1], width = call.in[0].dims[2];
  T* y = call.y(0);
  for (int64_t b = 0; b < call.in[0].dims[0]; ++b) {
    const T* x = call.x(0) + b * vectors * width;
    for (int64_t i = 1; i < vectors; ++i) {
      for (int64_t j = 0; j < i; ++j, ++y) {
        *y = 0;
        for (int64_t e = 0; e < width; ++e) *y += x[i * width + e] * x[j * width + e];
      }
    }
  }
}

template <class T>
void pairwise_dot_grad(const Call<T>& call) {
  const int64_t vectors = call.in[0].dims[1], width = call.in[0].dims[2];
  std::fill_n(call.y(0), call.out[0].count, T(0));
  const T* dy = call.x(1);
  for (int64_t b = 0; b < call.in[0].dims[0]; ++b) {
    const T* x = call.x(0) + b * vectors * width;
    T* dx = call.y(0) + b * vectors * width;
    for (int64_t i = 1; i < vectors; ++i) {
      for (int64_t j = 0; j < i; ++j, ++dy) {
        for (int64_t e = 0; e < width; ++e) {
          dx[i * width + e] += *dy * x[j * width + e];
          dx[j * width + e] += *dy * x[i * width + e];
        }
      }
    }
  }
}

/// log(1 + e^x) - x label, without overflow.
template <class T>
void binary_cross_entropy(const Call<T>& call) {
  T loss = 0, correct = 0;
  for (int64_t i = 0; i < call.in[0].count; ++i) {
    const T x = call.x(0)[i];
    const bool label = call.index(1)[i] != 0;
    call.y(2)[i] = 1 / (1 + std::exp(-x));
    if (i >= call.in[0].count - call.context.padding) continue;
    loss += std::max(x, T(0)) - (label ? x : T(0)) + std::log1p(std::exp(-std::abs(x)));
    correct += (x > 0) == label ? 1 : 0;
  }
  call.y(0)[0] = loss * T(call.context.loss_scale);
  call.y(1)[0] = correct;
}

template <class T>
void binary_cross_entropy_grad(const Call<T>& call) {
  const int64_t counted = call.in[0].count - call.context.padding;
  for (int64_t i = 0; i < call.in[0].count; ++i) {
    const T label = T(call.index(1)[i] != 0 ? 1 : 0);
    call.y(0)[i] = i < counted ? (call.x(0)[i] - label) * T(call.context.loss_scale) : T(0);
  }
}

}  // namespace lockstep::kernels::naive
