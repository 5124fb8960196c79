#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "reference_trainer/graph/graph.h"

namespace lockstep::kernels {

/// A block of queries against a block of keys. Heads of all samples are numbered together; q lies in a [batch, seq,
/// gate 3, heads, head_dim] tensor, k and v in a [batch, kv_seq, gate 2, heads, head_dim] one, outputs in [batch, seq,
/// heads, head_dim] ones, and numbers of a query in [batch, heads, seq] ones. Strides are in numbers.
struct BlockShape {
  int64_t queries = 0, keys = 0, heads = 0, head_dim = 0;
  std::vector<int64_t> seen;  ///< how many keys, from the first on, each query may see

  int64_t gate() const { return heads * head_dim; }
  int64_t q_at(int64_t head) const { return head / heads * queries * 3 * gate() + head % heads * head_dim; }
  int64_t kv_at(int64_t head) const { return head / heads * keys * 2 * gate() + head % heads * head_dim; }
  int64_t y_at(int64_t head) const { return head / heads * queries * gate() + head % heads * head_dim; }
  int64_t row_at(int64_t head) const { return head * queries; }
};

/// Causal: a query sees the keys that are not behind it in the whole sequence (axis 1); parts list positions in rising
/// order.
inline BlockShape block_shape(const graph::Tensor& qkv, const graph::Tensor& kv) {
  BlockShape shape{qkv.shape[1].size, kv.shape[1].size, qkv.shape[3].size, qkv.shape[4].size, {}};
  int64_t keys = 0;
  for (int64_t i = 0; i < shape.queries; ++i) {
    const int64_t position = graph::whole_index(qkv, 1, i);
    while (keys < shape.keys && graph::whole_index(kv, 1, keys) <= position) ++keys;
    shape.seen.push_back(keys);
  }
  return shape;
}

template <class T>
T dot_of(const T* a, const T* b, int64_t n) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// What acc, top and sum are before the first block.
template <class T>
inline constexpr std::array<T, 3> kNoBlock = {0, -std::numeric_limits<T>::infinity(), 0};

/// Adds a block of keys to the running sums of one head: acc += exp(s - top) v and sum += exp(s - top), both first
/// scaled down where a larger top appears.
template <class T>
void block_attention(const BlockShape& z, int64_t head, const T* qkv, const T* kv, T* acc, T* top, T* sum) {
  const T scale = 1 / std::sqrt(T(z.head_dim));
  const int64_t key_stride = 2 * z.gate();
  const T *q = qkv + z.q_at(head), *k = kv + z.kv_at(head), *v = k + z.gate();
  acc += z.y_at(head), top += z.row_at(head), sum += z.row_at(head);
  std::vector<T> weights(static_cast<size_t>(z.keys));
  for (int64_t i = 0; i < z.queries; ++i, acc += z.gate()) {
    const int64_t seen = z.seen[static_cast<size_t>(i)];
    if (seen == 0) continue;
    T most = top[i];
    for (int64_t j = 0; j < seen; ++j) {
      T& weight = weights[static_cast<size_t>(j)];
      weight = dot_of(q + i * 3 * z.gate(), k + j * key_stride, z.head_dim) * scale;
      most = std::max(most, weight);
    }
    const T shrink = std::exp(top[i] - most);  // exp(-inf) = 0 at the first block
    for (int64_t e = 0; e < z.head_dim; ++e) acc[e] *= shrink;
    sum[i] *= shrink;
    for (int64_t j = 0; j < seen; ++j) {
      const T weight = std::exp(weights[static_cast<size_t>(j)] - most), *value = v + j * key_stride;
      sum[i] += weight;
#pragma omp simd
      for (int64_t e = 0; e < z.head_dim; ++e) acc[e] += weight * value[e];
    }
    top[i] = most;
  }
}

/// y = acc / sum, and lse = top + log(sum), of one head.
template <class T>
void block_attention_total(const BlockShape& z, int64_t head, const T* acc, const T* top, const T* sum, T* y, T* lse) {
  acc += z.y_at(head), y += z.y_at(head);
  for (int64_t i = 0; i < z.queries; ++i, acc += z.gate(), y += z.gate()) {
    const int64_t row = z.row_at(head) + i;
    for (int64_t e = 0; e < z.head_dim; ++e) y[e] = acc[e] / sum[row];
    lse[row] = top[row] + std::log(sum[row]);
  }
}

/// delta = y . dy of each query of one head: what softmax's gradient subtracts.
template <class T>
void attention_delta(const BlockShape& z, int64_t head, const T* y, const T* dy, T* delta) {
  for (int64_t i = 0; i < z.queries; ++i) {
    const int64_t at = z.y_at(head) + i * z.gate();
    delta[z.row_at(head) + i] = dot_of(y + at, dy + at, z.head_dim);
  }
}

/// Adds to dq [batch, seq, gate 1, heads, head_dim] and dkv (as kv) what a block contributes to one head: p = exp(s -
/// lse), ds = p (dy . v - delta) scale.
template <class T>
void block_attention_grad(const BlockShape& z, int64_t head, const T* qkv, const T* kv, const T* lse, const T* delta,
                          const T* dy, T* dq, T* dkv) {
  const T scale = 1 / std::sqrt(T(z.head_dim));
  const T *q = qkv + z.q_at(head), *k = kv + z.kv_at(head), *v = k + z.gate();
  T *dk = dkv + z.kv_at(head), *dv = dk + z.gate();
  for (int64_t i = 0; i < z.queries; ++i, q += 3 * z.gate()) {
    const int64_t row = z.row_at(head) + i;
    const T* dout = dy + z.y_at(head) + i * z.gate();
    T* dquery = dq + z.y_at(head) + i * z.gate();
    for (int64_t j = 0; j < z.seen[static_cast<size_t>(i)]; ++j) {
      const int64_t at = j * 2 * z.gate();
      const T p = std::exp(dot_of(q, k + at, z.head_dim) * scale - lse[row]);
      const T ds = p * (dot_of(dout, v + at, z.head_dim) - delta[row]) * scale;
#pragma omp simd
      for (int64_t e = 0; e < z.head_dim; ++e) {
        dv[at + e] += p * dout[e];
        dk[at + e] += ds * q[e];
        dquery[e] += ds * k[at + e];
      }
    }
  }
}

}  // namespace lockstep::kernels
