#pragma once

#include <algorithm>
#include <cmath>

#include "reference_trainer/kernels/naive/call.h"

namespace lockstep::kernels::naive {

/// Rows m, inputs k and outputs n of a linear op.
struct LinearSize {
  int64_t m, n, k;
};

inline LinearSize linear_size(const Operand& x, const Operand& y) {
  const int64_t m = rows_of(x);
  return {m, m == 0 ? 0 : y.count / m, m == 0 ? 0 : x.count / m};
}

template <class T>
T activated(T value, graph::OpKind activation) {
  if (activation == graph::OpKind::relu) return value > 0 ? value : T(0);
  if (activation == graph::OpKind::tanh) return std::tanh(value);
  return value;
}

template <class T>
void linear(const Call<T>& call) {
  const auto [m, n, k] = linear_size(call.in[0], call.out[0]);
  const T *x = call.x(0), *w = call.x(1), *b = call.attr().has_bias ? call.x(2) : nullptr;
  T* y = call.y(0);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      T sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += x[i * k + l] * w[j * k + l];
      y[i * n + j] = activated(sum + (b ? b[j] : T(0)), call.attr().activation);
    }
  }
}

template <class T>
void linear_grad_input(const Call<T>& call) {
  const auto [m, n, k] = linear_size(call.out[0], call.in[0]);
  const T *dy = call.x(0), *w = call.x(1);
  T* dx = call.y(0);
  std::fill_n(dx, m * k, T(0));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t l = 0; l < k; ++l) dx[i * k + l] += dy[i * n + j] * w[j * k + l];
    }
  }
}

template <class T>
void linear_grad_weight(const Call<T>& call) {
  const auto [m, n, k] = linear_size(call.in[0], call.in[1]);
  const T *x = call.x(0), *dy = call.x(1);
  T* dw = call.y(0);
  std::fill_n(dw, n * k, T(0));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t l = 0; l < k; ++l) dw[j * k + l] += dy[i * n + j] * x[i * k + l];
    }
  }
  if (!call.attr().has_bias) return;
  T* db = call.y(1);
  std::fill_n(db, n, T(0));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) db[j] += dy[i * n + j];
  }
}

}  // namespace lockstep::kernels::naive
