#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference_trainer/kernels/naive/attention.h"

namespace lockstep::kernels::naive {

/// Long short-term memory (Hochreiter and Schmidhuber 1997; forget gate: Gers et al. 2000): c' = f c + i g,
/// h = o tanh(c'). Gates i, f, g, o.
template <class T>
void lstm(const Call<T>& call) {
  const auto& dims = call.in[0].dims;
  const int64_t seq = dims[1], hidden = dims[3];
  const T* w = call.x(1);
  const std::vector<T> zeros(static_cast<size_t>(hidden), T(0));
  for (int64_t position = 0; position < dims[0] * seq; ++position) {
    const bool first = position % seq == 0;
    const T* before_h = first ? zeros.data() : call.y(0) + (position - 1) * hidden;
    const T* before_c = first ? zeros.data() : call.y(2) + (position - 1) * hidden;
    const T* xw = call.x(0) + position * 4 * hidden;
    T *h = call.y(0) + position * hidden, *gates = call.y(1) + position * 4 * hidden;
    T* c = call.y(2) + position * hidden;
    for (int64_t j = 0; j < 4 * hidden; ++j) {
      const T sum = xw[j] + dot(w + j * hidden, before_h, hidden);
      gates[j] = j / hidden == 2 ? std::tanh(sum) : 1 / (1 + std::exp(-sum));
    }
    for (int64_t j = 0; j < hidden; ++j) {
      c[j] = gates[hidden + j] * before_c[j] + gates[j] * gates[2 * hidden + j];
      h[j] = gates[3 * hidden + j] * std::tanh(c[j]);
    }
  }
}

/// Gradients of the gates before their functions, from the last time step back. `dc` in: of the cell by later steps;
/// out: of the cell before.
template <class T>
void lstm_cell_grad(const T* gates, const T* cell, const T* cell_before, const T* dh, T* dc, T* dxw, int64_t hidden) {
  for (int64_t j = 0; j < hidden; ++j) {
    const T i = gates[j], f = gates[hidden + j], g = gates[2 * hidden + j], o = gates[3 * hidden + j];
    const T t = std::tanh(cell[j]);
    const T d = dc[j] + dh[j] * o * (1 - t * t);
    dxw[j] = d * g * i * (1 - i);
    dxw[hidden + j] = d * (cell_before ? cell_before[j] : T(0)) * f * (1 - f);
    dxw[2 * hidden + j] = d * i * (1 - g * g);
    dxw[3 * hidden + j] = dh[j] * t * o * (1 - o);
    dc[j] = d * f;
  }
}

template <class T>
void lstm_grad_input(const Call<T>& call) {
  const auto& dims = call.out[0].dims;
  const int64_t seq = dims[1], hidden = dims[3];
  const T *gates = call.x(1), *cell = call.x(2), *w = call.x(3);
  std::vector<T> dh(static_cast<size_t>(hidden)), dc(dh.size());
  for (int64_t n = 0; n < dims[0]; ++n) {
    std::fill(dh.begin(), dh.end(), T(0));
    std::fill(dc.begin(), dc.end(), T(0));
    for (int64_t t = seq - 1; t >= 0; --t) {
      const int64_t at = n * seq + t;
      T* dxw = call.y(0) + at * 4 * hidden;
      add_scaled(dh.data(), call.x(0) + at * hidden, T(1), hidden);
      lstm_cell_grad(gates + at * 4 * hidden, cell + at * hidden, t > 0 ? cell + (at - 1) * hidden : nullptr, dh.data(),
                     dc.data(), dxw, hidden);
      std::fill(dh.begin(), dh.end(), T(0));
      for (int64_t j = 0; j < 4 * hidden; ++j) add_scaled(dh.data(), w + j * hidden, dxw[j], hidden);
    }
  }
}

template <class T>
void lstm_grad_weight(const Call<T>& call) {
  const auto& dims = call.in[1].dims;
  const int64_t seq = dims[1], hidden = dims[3];
  const T *h = call.x(0), *dxw = call.x(1);
  std::fill_n(call.y(0), call.out[0].count, T(0));
  for (int64_t position = 0; position < dims[0] * seq; ++position) {
    if (position % seq == 0) continue;  // the state before the first step is zero
    for (int64_t j = 0; j < 4 * hidden; ++j) {
      add_scaled(call.y(0) + j * hidden, h + (position - 1) * hidden, dxw[position * 4 * hidden + j], hidden);
    }
  }
}

}  // namespace lockstep::kernels::naive
