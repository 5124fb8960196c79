#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference_trainer/kernels/naive/call.h"

namespace lockstep::kernels::naive {

/// One head of one sample of a [batch, seq, gate 3, heads, head_dim] tensor.
template <class T>
struct Head {
  T* at;
  int64_t heads, head_dim;

  T* row(int64_t seq, int64_t gate) const { return at + (seq * 3 + gate) * heads * head_dim; }
};

template <class T, class Visit>
void for_each_head(T* qkv, const std::vector<int64_t>& dims, Visit visit) {
  const int64_t seq = dims[1], heads = dims[3], head_dim = dims[4];
  for (int64_t n = 0; n < dims[0]; ++n)
    for (int64_t h = 0; h < heads; ++h) {
      visit(Head<T>{qkv + n * seq * 3 * heads * head_dim + h * head_dim, heads, head_dim}, n, h);
    }
}

template <class T>
T dot(const T* a, const T* b, int64_t n) {
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// into += factor * from
template <class T>
void add_scaled(T* into, const T* from, T factor, int64_t n) {
  for (int64_t i = 0; i < n; ++i) into[i] += factor * from[i];
}

/// Softmax in place.
template <class T>
void softmax(T* x, int64_t n) {
  const T top = *std::max_element(x, x + n);
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i] = std::exp(x[i] - top);
  for (int64_t i = 0; i < n; ++i) x[i] /= sum;
}

/// Scaled dot-product attention, causal or not (Vaswani et al. 2017).
template <class T>
void attention(const Call<T>& call) {
  const auto& dims = call.in[0].dims;
  const int64_t seq = dims[1], heads = dims[3], d = dims[4];
  const bool causal = call.attr().causal;
  const T scale = 1 / std::sqrt(T(d));
  std::fill_n(call.y(0), call.out[0].count, T(0));
  std::fill_n(call.y(1), call.out[1].count, T(0));
  for_each_head(call.x(0), dims, [&](Head<const T> head, int64_t n, int64_t h) {
    for (int64_t i = 0; i < seq; ++i) {
      T* p = call.y(1) + ((n * heads + h) * seq + i) * seq;
      T* y = call.y(0) + ((n * seq + i) * heads + h) * d;
      const int64_t seen = causal ? i + 1 : seq;
      for (int64_t j = 0; j < seen; ++j) p[j] = dot(head.row(i, 0), head.row(j, 1), d) * scale;
      softmax(p, seen);
      for (int64_t j = 0; j < seen; ++j) add_scaled(y, head.row(j, 2), p[j], d);
    }
  });
}

template <class T>
void attention_grad(const Call<T>& call) {
  const auto& dims = call.in[0].dims;
  const int64_t seq = dims[1], heads = dims[3], d = dims[4];
  const T scale = 1 / std::sqrt(T(d));
  T* dqkv = call.y(0);
  std::fill_n(dqkv, call.out[0].count, T(0));
  std::vector<T> dp(static_cast<size_t>(seq));
  for_each_head(call.x(0), dims, [&](Head<const T> head, int64_t n, int64_t h) {
    const Head<T> grad{dqkv + (head.at - call.x(0)), heads, d};
    for (int64_t i = 0; i < seq; ++i) {
      const T* p = call.x(1) + ((n * heads + h) * seq + i) * seq;
      const T* dy = call.x(2) + ((n * seq + i) * heads + h) * d;
      const int64_t seen = call.attr().causal ? i + 1 : seq;
      T total = 0;
      for (int64_t j = 0; j < seen; ++j) {
        add_scaled(grad.row(j, 2), dy, p[j], d);
        total += p[j] * (dp[static_cast<size_t>(j)] = dot(dy, head.row(j, 2), d));
      }
      for (int64_t j = 0; j < seen; ++j) {
        const T ds = p[j] * (dp[static_cast<size_t>(j)] - total) * scale;
        add_scaled(grad.row(i, 0), head.row(j, 1), ds, d);
        add_scaled(grad.row(j, 1), head.row(i, 0), ds, d);
      }
    }
  });
}

}  // namespace lockstep::kernels::naive
