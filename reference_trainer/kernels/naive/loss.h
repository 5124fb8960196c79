#pragma once

#include <algorithm>
#include <cmath>

#include "reference_trainer/kernels/naive/call.h"

namespace lockstep::kernels::naive {

template <class T>
void softmax_cross_entropy(const Call<T>& call) {
  const int64_t classes = width_of(call.in[0]), rows = call.in[0].count / classes;
  T loss = 0, correct = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const T* x = call.x(0) + row * classes;
    const int64_t label = call.index(1)[row];
    const int64_t best = std::max_element(x, x + classes) - x;  // the first of equals
    T sum = 0;
    for (int64_t i = 0; i < classes; ++i) sum += std::exp(x[i] - x[best]);
    const T lse = call.y(2)[row] = x[best] + std::log(sum);
    loss += lse - x[label];
    correct += best == label ? 1 : 0;
  }
  call.y(0)[0] = loss * T(call.context.loss_scale);
  call.y(1)[0] = correct;
}

template <class T>
void softmax_cross_entropy_grad(const Call<T>& call) {
  const int64_t classes = width_of(call.in[0]), rows = call.in[0].count / classes;
  const T scale = T(call.context.loss_scale);
  for (int64_t row = 0; row < rows; ++row) {
    const T *x = call.x(0) + row * classes, lse = call.x(2)[row];
    T* dx = call.y(0) + row * classes;
    for (int64_t i = 0; i < classes; ++i) dx[i] = std::exp(x[i] - lse) * scale;
    dx[call.index(1)[row]] -= scale;
  }
}

}  // namespace lockstep::kernels::naive
