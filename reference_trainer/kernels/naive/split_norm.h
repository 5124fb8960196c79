#pragma once

#include <algorithm>
#include <cmath>

#include "reference_trainer/kernels/naive/norm.h"

namespace lockstep::kernels::naive {

/// Three sums of a group and channel: how many numbers, and two over them.
template <class T>
T* three_sums(T* sums, const BatchNormSize& z, int64_t group, int64_t channel) {
  return sums + (group * z.channels + channel) * 3;
}

/// Calls visit(group's index, first sample, last + 1 that counts, last + 1): padding, which counts for nothing, comes
/// last.
template <class Visit>
void for_each_group(const BatchNormSize& z, const StepContext& context, Visit visit) {
  const int64_t real = z.samples - context.padding;
  for (int64_t begin = 0, g = 0; begin < z.samples; begin += z.group, ++g) {
    const int64_t end = std::min(begin + z.group, z.samples);
    visit(g, begin, std::clamp(real, begin, end), end);
  }
}

/// Of x less the running mean, which all ranks share: near the true one the squares lose no digits.
template <class T>
void batch_norm_sums(const Call<T>& call) {
  const BatchNormSize z = batch_norm_size(call.in[0], call.attr());
  const T *x = call.x(0), *shift = call.x(1);
  for_each_group(z, call.context, [&](int64_t g, int64_t begin, int64_t real, int64_t) {
    for (int64_t c = 0; c < z.channels; ++c) {
      T sum = 0, squares = 0;
      for_each_plane(z, c, begin, real, [&](int64_t offset) {
        for (int64_t i = offset; i < offset + z.plane; ++i)
          sum += x[i] - shift[c], squares += (x[i] - shift[c]) * (x[i] - shift[c]);
      });
      T* sums = three_sums(call.y(0), z, g, c);
      sums[0] = T((real - begin) * z.plane), sums[1] = sum, sums[2] = squares;
    }
  });
}

/// Running statistics as batch_norm keeps them; every rank the same.
template <class T>
void batch_norm_total(const Call<T>& call) {
  const BatchNormSize z = batch_norm_size(call.in[0], call.attr());
  const T *x = call.x(0), *gamma = call.x(1), *beta = call.x(2);
  T *running_mean = call.in[3].template as<T>(), *running_var = call.in[4].template as<T>();
  T *y = call.y(0), *mean = call.y(1), *rstd = call.y(2);
  const T epsilon = T(call.attr().epsilon), keep = T(1 - call.attr().momentum), take = T(call.attr().momentum);
  for (int64_t c = 0; c < z.channels; ++c) {
    const T shift = running_mean[c];
    for_each_group(z, call.context, [&](int64_t g, int64_t begin, int64_t, int64_t end) {
      T m = running_mean[c], variance = running_var[c];
      if (call.context.training) {
        const T* sums = three_sums(call.x(5), z, g, c);
        const T count = sums[0], off = sums[1] / count;
        m = shift + off;
        variance = std::max(T(0), sums[2] / count - off * off);
        running_mean[c] = keep * running_mean[c] + take * m;
        running_var[c] = keep * running_var[c] + take * (count > 1 ? variance * count / (count - 1) : variance);
      }
      mean[g * z.channels + c] = m;
      const T r = rstd[g * z.channels + c] = 1 / std::sqrt(variance + epsilon);
      for_each_plane(z, c, begin, end, [&](int64_t offset) {
        for (int64_t i = offset; i < offset + z.plane; ++i) y[i] = (x[i] - m) * r * gamma[c] + beta[c];
      });
    });
  }
}

/// The gradients of gamma and beta are this rank's part of them.
template <class T>
void batch_norm_grad_sums(const Call<T>& call) {
  const BatchNormSize z = batch_norm_size(call.in[0], call.attr());
  const T *x = call.x(0), *dy = call.x(1), *mean = call.x(2), *rstd = call.x(3);
  T *dgamma = call.y(1), *dbeta = call.y(2);
  std::fill_n(dgamma, z.channels, T(0));
  std::fill_n(dbeta, z.channels, T(0));
  for_each_group(z, call.context, [&](int64_t g, int64_t begin, int64_t real, int64_t) {
    for (int64_t c = 0; c < z.channels; ++c) {
      const T mu = mean[g * z.channels + c], r = rstd[g * z.channels + c];
      T sum = 0, dot = 0;
      for_each_plane(z, c, begin, real, [&](int64_t offset) {
        for (int64_t i = offset; i < offset + z.plane; ++i) sum += dy[i], dot += dy[i] * (x[i] - mu) * r;
      });
      dgamma[c] += dot;
      dbeta[c] += sum;
      T* sums = three_sums(call.y(0), z, g, c);
      sums[0] = T((real - begin) * z.plane), sums[1] = sum, sums[2] = dot;
    }
  });
}

/// Padding gets no gradient, though its group's sums would give it one.
template <class T>
void batch_norm_grad_total(const Call<T>& call) {
  const BatchNormSize z = batch_norm_size(call.in[0], call.attr());
  const T *x = call.x(0), *dy = call.x(1), *gamma = call.x(2), *mean = call.x(3), *rstd = call.x(4);
  T* dx = call.y(0);
  for_each_group(z, call.context, [&](int64_t g, int64_t begin, int64_t real, int64_t end) {
    for (int64_t c = 0; c < z.channels; ++c) {
      const T* sums = three_sums(call.x(5), z, g, c);
      const T mu = mean[g * z.channels + c], r = rstd[g * z.channels + c];
      const T sum = sums[1] / sums[0], dot = sums[2] / sums[0];
      for_each_plane(z, c, begin, real, [&](int64_t offset) {
        for (int64_t i = offset; i < offset + z.plane; ++i)
          dx[i] = gamma[c] * r * (dy[i] - sum - (x[i] - mu) * r * dot);
      });
      for_each_plane(z, c, real, end, [&](int64_t offset) { std::fill_n(dx + offset, z.plane, T(0)); });
    }
  });
}

}  // namespace lockstep::kernels::naive
