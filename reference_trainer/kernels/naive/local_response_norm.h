#pragma once

#include <algorithm>
#include <cmath>

#include "reference_trainer/kernels/naive/call.h"

namespace lockstep::kernels::naive {

/// Sum of term(index of a neighbour) over the channels whose window holds channel `channel`, itself among them.
template <class T, class Term>
T over_neighbours(const Operand& x, int64_t window, int64_t sample, int64_t channel, int64_t pixel, Term term) {
  const int64_t channels = x.dims[1], plane = x.dims[2] * x.dims[3], reach = window / 2;
  T sum = 0;
  for (int64_t c = std::max<int64_t>(0, channel - reach); c <= std::min(channels - 1, channel + reach); ++c)
    sum += term((sample * channels + c) * plane + pixel);
  return sum;
}

/// Calls visit(sample, channel, pixel, index) for every element.
template <class Visit>
void for_each_pixel(const Operand& x, Visit visit) {
  const int64_t channels = x.dims[1], plane = x.dims[2] * x.dims[3];
  for (int64_t i = 0; i < x.count; ++i) visit(i / (channels * plane), i / plane % channels, i % plane, i);
}

template <class T>
void local_response_norm(const Call<T>& call) {
  const graph::Attributes& a = call.attr();
  const T* x = call.x(0);
  for_each_pixel(call.in[0], [&](int64_t n, int64_t c, int64_t p, int64_t i) {
    const T squares = over_neighbours<T>(call.in[0], a.window, n, c, p, [&](int64_t j) { return x[j] * x[j]; });
    const T scale = call.y(1)[i] = T(a.offset) + T(a.alpha) * squares;
    call.y(0)[i] = x[i] * std::pow(scale, T(-a.exponent));
  });
}

template <class T>
void local_response_norm_grad(const Call<T>& call) {
  const graph::Attributes& a = call.attr();
  const T *x = call.x(0), *dy = call.x(1), *scale = call.x(2);
  for_each_pixel(call.in[0], [&](int64_t n, int64_t c, int64_t p, int64_t i) {
    const T shared = over_neighbours<T>(call.in[0], a.window, n, c, p, [&](int64_t j) {
      return dy[j] * x[j] * std::pow(scale[j], T(-a.exponent - 1));
    });
    call.y(0)[i] = dy[i] * std::pow(scale[i], T(-a.exponent)) - T(2 * a.alpha * a.exponent) * x[i] * shared;
  });
}

}  // namespace lockstep::kernels::naive
