#pragma once

#include <algorithm>
#include <cmath>

#include "reference_trainer/kernels/naive/call.h"

namespace lockstep::kernels::naive {

/// Batch norm sees x as [sample, channel, plane]; statistics of group g and channel c are at [g * channels + c].
struct BatchNormSize {
  int64_t samples, channels, plane, group;
};

inline BatchNormSize batch_norm_size(const Operand& x, const graph::Attributes& attr) {
  const int64_t samples = x.dims[0], channels = x.dims[1];
  const int64_t plane = samples == 0 ? 0 : x.count / (samples * channels);
  return {samples, channels, plane, attr.norm_group > 0 ? attr.norm_group : samples};
}

/// Calls visit(offset of a plane) for the samples [begin, end) of a channel.
template <class Visit>
void for_each_plane(const BatchNormSize& z, int64_t channel, int64_t begin, int64_t end, Visit visit) {
  for (int64_t n = begin; n < end; ++n) visit((n * z.channels + channel) * z.plane);
}

template <class T>
struct Moments {
  T mean = 0, variance = 0;  ///< biased
  int64_t count = 0;
};

template <class T>
Moments<T> moments(const T* x, const BatchNormSize& z, int64_t channel, int64_t begin, int64_t end) {
  Moments<T> m{.count = (end - begin) * z.plane};
  for_each_plane(z, channel, begin, end, [&](int64_t offset) {
    for (int64_t i = 0; i < z.plane; ++i) m.mean += x[offset + i];
  });
  m.mean /= T(m.count);
  for_each_plane(z, channel, begin, end, [&](int64_t offset) {
    for (int64_t i = 0; i < z.plane; ++i) m.variance += (x[offset + i] - m.mean) * (x[offset + i] - m.mean);
  });
  m.variance /= T(m.count);
  return m;
}

/// Running statistics take the groups in order, as if each were a batch of its own (unbiased variance, as torch).
template <class T>
void batch_norm(const Call<T>& call) {
  const BatchNormSize z = batch_norm_size(call.in[0], call.attr());
  const T *x = call.x(0), *gamma = call.x(1), *beta = call.x(2);
  T *running_mean = call.in[3].template as<T>(), *running_var = call.in[4].template as<T>();
  T *y = call.y(0), *mean = call.y(1), *rstd = call.y(2);
  const T epsilon = T(call.attr().epsilon), keep = T(1 - call.attr().momentum), take = T(call.attr().momentum);
  for (int64_t begin = 0, g = 0; begin < z.samples; begin += z.group, ++g) {
    const int64_t end = std::min(begin + z.group, z.samples);
    for (int64_t c = 0; c < z.channels; ++c) {
      Moments<T> m{.mean = running_mean[c], .variance = running_var[c]};
      if (call.context.training) {
        m = moments(x, z, c, begin, end);
        const T unbiased = m.count > 1 ? m.variance * T(m.count) / T(m.count - 1) : m.variance;
        running_mean[c] = keep * running_mean[c] + take * m.mean;
        running_var[c] = keep * running_var[c] + take * unbiased;
      }
      mean[g * z.channels + c] = m.mean;
      const T r = rstd[g * z.channels + c] = 1 / std::sqrt(m.variance + epsilon);
      for_each_plane(z, c, begin, end, [&](int64_t offset) {
        for (int64_t i = offset; i < offset + z.plane; ++i) y[i] = (x[i] - m.mean) * r * gamma[c] + beta[c];
      });
    }
  }
}

template <class T>
void batch_norm_grad(const Call<T>& call) {
  const BatchNormSize z = batch_norm_size(call.in[0], call.attr());
  const T *x = call.x(0), *dy = call.x(1), *gamma = call.x(2), *mean = call.x(3), *rstd = call.x(4);
  T *dx = call.y(0), *dgamma = call.y(1), *dbeta = call.y(2);
  std::fill_n(dgamma, z.channels, T(0));
  std::fill_n(dbeta, z.channels, T(0));
  for (int64_t begin = 0, g = 0; begin < z.samples; begin += z.group, ++g) {
    const int64_t end = std::min(begin + z.group, z.samples);
    for (int64_t c = 0; c < z.channels; ++c) {
      const T mu = mean[g * z.channels + c], r = rstd[g * z.channels + c];
      T sum = 0, dot = 0;  // of dy, of dy with normalized x
      for_each_plane(z, c, begin, end, [&](int64_t offset) {
        for (int64_t i = offset; i < offset + z.plane; ++i) sum += dy[i], dot += dy[i] * (x[i] - mu) * r;
      });
      dgamma[c] += dot;
      dbeta[c] += sum;
      const T count = T((end - begin) * z.plane);
      for_each_plane(z, c, begin, end, [&](int64_t offset) {
        for (int64_t i = offset; i < offset + z.plane; ++i) {
          dx[i] = gamma[c] * r * (dy[i] - sum / count - (x[i] - mu) * r * dot / count);
        }
      });
    }
  }
}

template <class T>
void layer_norm(const Call<T>& call) {
  const int64_t width = width_of(call.in[0]), rows = call.in[0].count / width;
  const T *gamma = call.x(1), *beta = call.x(2);
  for (int64_t row = 0; row < rows; ++row) {
    const T* x = call.x(0) + row * width;
    T* y = call.y(0) + row * width;
    T mean = 0, variance = 0;
    for (int64_t i = 0; i < width; ++i) mean += x[i];
    mean /= T(width);
    for (int64_t i = 0; i < width; ++i) variance += (x[i] - mean) * (x[i] - mean);
    const T rstd = 1 / std::sqrt(variance / T(width) + T(call.attr().epsilon));
    for (int64_t i = 0; i < width; ++i) y[i] = (x[i] - mean) * rstd * gamma[i] + beta[i];
    call.y(1)[row] = mean;
    call.y(2)[row] = rstd;
  }
}

template <class T>
void layer_norm_grad(const Call<T>& call) {
  const int64_t width = width_of(call.in[0]), rows = call.in[0].count / width;
  const T* gamma = call.x(2);
  T *dgamma = call.y(1), *dbeta = call.y(2);
  std::fill_n(dgamma, width, T(0));
  std::fill_n(dbeta, width, T(0));
  for (int64_t row = 0; row < rows; ++row) {
    const T *x = call.x(0) + row * width, *dy = call.x(1) + row * width;
    const T mean = call.x(3)[row], rstd = call.x(4)[row];
    T* dx = call.y(0) + row * width;
    T sum = 0, dot = 0;
    for (int64_t i = 0; i < width; ++i) {
      const T normal = (x[i] - mean) * rstd;
      sum += dy[i] * gamma[i];
      dot += dy[i] * gamma[i] * normal;
      dgamma[i] += dy[i] * normal;
      dbeta[i] += dy[i];
    }
    for (int64_t i = 0; i < width; ++i) {
      dx[i] = rstd * (dy[i] * gamma[i] - sum / T(width) - (x[i] - mean) * rstd * dot / T(width));
    }
  }
}

}  // namespace lockstep::kernels::naive
