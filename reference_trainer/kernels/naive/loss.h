#pragma once

#include <algorithm>
#include <cmath>

#include "reference_trainer/kernels/naive/call.h"

namespace lockstep::kernels::naive {

/// Rows of a rank's labels whose samples count; those of padding come last.
inline int64_t real_rows(const Operand& rows, const StepContext& context) {
  const int64_t samples = batch_of(rows);
  return samples == 0 ? 0 : rows.count / samples * (samples - context.padding);
}

/// What the auxiliary loss, operand `index`, adds: a sample's counts once for each of its positions, in the whole.
template <class T>
T penalty_sum(const Call<T>& call, size_t index, const graph::Tensor& rows) {
  T sum = 0;
  if (call.in.size() <= index || !call.context.training) return sum;
  for (int64_t i = 0; i < call.in[index].count - call.context.padding; ++i) sum += call.x(index)[i];
  return sum * T(graph::whole_count(rows));
}

template <class T>
void softmax_cross_entropy(const Call<T>& call) {
  const int64_t classes = width_of(call.in[0]), rows = call.in[0].count / classes;
  const int64_t counted = real_rows(call.in[1], call.context);
  T loss = 0, correct = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const T* x = call.x(0) + row * classes;
    const int64_t label = call.index(1)[row];
    const int64_t best = std::max_element(x, x + classes) - x;  // the first of equals
    T sum = 0;
    for (int64_t i = 0; i < classes; ++i) sum += std::exp(x[i] - x[best]);
    const T lse = call.y(2)[row] = x[best] + std::log(sum);
    if (row >= counted) continue;
    loss += lse - x[label];
    correct += best == label ? 1 : 0;
  }
  loss += penalty_sum(call, 2, *call.in[1].tensor);
  call.y(0)[0] = loss * T(call.context.loss_scale);
  call.y(1)[0] = correct;
}

template <class T>
void softmax_cross_entropy_grad(const Call<T>& call) {
  const int64_t classes = width_of(call.in[0]), rows = call.in[0].count / classes;
  const T scale = T(call.context.loss_scale);
  const Rows part = rows_of_part(call.in[0], call.in[0].dims.size() - 1);
  const int64_t counted = real_rows(call.in[1], call.context);
  std::fill_n(call.y(0) + counted * classes, (rows - counted) * classes, T(0));
  for (int64_t row = 0; row < counted; ++row) {
    const T *x = call.x(0) + row * classes, lse = call.x(2)[row];
    T* dx = call.y(0) + row * classes;
    for (int64_t i = 0; i < classes; ++i) dx[i] = std::exp(x[i] - lse) * scale;
    const int64_t label = part.local(call.index(1)[row]);
    if (label >= 0) dx[label] -= scale;
  }
  if (call.out.size() < 2) return;
  const int64_t samples = call.out[1].count - call.context.padding;
  std::fill_n(call.y(1), call.out[1].count, T(0));
  std::fill_n(call.y(1), samples, scale * T(graph::whole_count(*call.in[1].tensor)));
}

template <class T>
void cross_entropy_max(const Call<T>& call) {
  const int64_t classes = width_of(call.in[0]);
  for (int64_t row = 0; row < call.out[0].count; ++row)
    call.y(0)[row] = *std::max_element(call.x(0) + row * classes, call.x(0) + (row + 1) * classes);
}

template <class T>
void cross_entropy_sums(const Call<T>& call) {
  const int64_t classes = width_of(call.in[0]);
  const Rows part = rows_of_part(call.in[0], call.in[0].dims.size() - 1);
  for (int64_t row = 0; row < call.in[1].count; ++row) {
    const T *x = call.x(0) + row * classes, top = call.x(2)[row];
    T* sums = call.y(0) + row * 3;
    std::fill_n(sums, 3, T(0));
    for (int64_t i = 0; i < classes; ++i) sums[0] += std::exp(x[i] - top);
    const int64_t label = call.index(1)[row], here = part.local(label);
    if (here >= 0) sums[1] = x[here];
    const int64_t before = std::clamp<int64_t>(label - part.first, 0, classes);
    sums[2] = T(std::count(x, x + before, top));
  }
}

template <class T>
void cross_entropy_total(const Call<T>& call) {
  T loss = 0, correct = 0;
  const int64_t counted = real_rows(call.in[0], call.context);
  for (int64_t row = 0; row < call.in[0].count; ++row) {
    const T top = call.x(0)[row], *sums = call.x(1) + row * 3;
    const T lse = call.y(2)[row] = top + std::log(sums[0]);
    if (row >= counted) continue;
    loss += lse - sums[1];
    correct += sums[1] == top && sums[2] == 0 ? 1 : 0;
  }
  loss += penalty_sum(call, 2, *call.in[0].tensor);
  call.y(0)[0] = loss * T(call.context.loss_scale);
  call.y(1)[0] = correct;
}

}  // namespace lockstep::kernels::naive
