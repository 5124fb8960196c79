#include "reference_trainer/kernels/vector/attention.h"

#include "reference_trainer/kernels/vector/functions.h"

namespace lockstep::kernels::LOCKSTEP_ISA {
namespace {

/// Queries that are worked on together: a multiple of a tile's rows; keys beyond the block's last query are skipped.
constexpr int64_t kQueries = 24;

inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/// Keys that queries before `end` may see.
inline int64_t keys_seen(const AttentionHead& h, int64_t end) { return h.causal ? end : h.seq; }

/// Keys to multiply with for queries before `end`: whole panels where there are so many.
inline int64_t keys_for(const AttentionHead& h, int64_t end) {
  return smaller(panels_of(keys_seen(h, end)) * kPanel, h.seq);
}

/// Softmax of scale * x over the first n numbers in place; zeros up to `width`.
void softmax(float* x, float scale, int64_t n, int64_t width) {
  float top = x[0];
#pragma omp simd reduction(max : top)
  for (int64_t i = 1; i < n; ++i) top = larger(top, x[i]);
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += x[i] = exp_of(scale * (x[i] - top));
  const float share = 1.0f / sum;
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) x[i] *= share;
  for (int64_t i = n; i < width; ++i) x[i] = 0;
}

void forward(const AttentionHead& h, float* y, float* probs, float* scratch, const GemmCode& gemm) {
  const float scale = 1.0f / __builtin_sqrtf(float(h.head_dim));
  float *keys = scratch, *values = keys + packed_floats(h.seq, h.head_dim);
  gemm.pack({h.k, 1, h.stride}, h.head_dim, h.seq, keys);
  gemm.pack({h.v, h.stride, 1}, h.seq, h.head_dim, values);
  for (int64_t i0 = 0; i0 < h.seq; i0 += kQueries) {
    const int64_t i1 = smaller(i0 + kQueries, h.seq);
    float* p = probs + i0 * h.seq;
    gemm.packed({.m = i1 - i0,
                 .n = keys_for(h, i1),
                 .k = h.head_dim,
                 .a = {h.q + i0 * h.stride, h.stride, 1},
                 .packed = keys,
                 .panel_stride = kPanel * h.head_dim,
                 .c = p,
                 .ldc = h.seq});
    for (int64_t i = i0; i < i1; ++i) softmax(probs + i * h.seq, scale, keys_seen(h, i + 1), keys_seen(h, i1));
    gemm.packed({.m = i1 - i0,
                 .n = h.head_dim,
                 .k = keys_seen(h, i1),
                 .a = {p, h.seq, 1},
                 .packed = values,
                 .panel_stride = kPanel * h.seq,
                 .c = y + i0 * h.y_stride,
                 .ldc = h.y_stride});
  }
}

/// ds = p * (dp - sum(p dp)) * scale over the first n numbers, in place of dp; zeros up to `width`.
void softmax_grad(float* dp, const float* p, float scale, int64_t n, int64_t width) {
  float total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < n; ++i) total += p[i] * dp[i];
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) dp[i] = p[i] * (dp[i] - total) * scale;
  for (int64_t i = n; i < width; ++i) dp[i] = 0;
}

void backward(const AttentionHead& h, const float* probs, const float* dy, float* dq, float* dk, float* dv,
              float* scratch, const GemmCode& gemm) {
  const float scale = 1.0f / __builtin_sqrtf(float(h.head_dim));
  const int64_t tall = packed_floats(h.head_dim, h.seq), flat = packed_floats(h.seq, h.head_dim);
  float *values = scratch, *keys = values + flat, *queries = keys + tall, *outputs = queries + tall;
  float* ds = outputs + tall;
  gemm.pack({h.v, 1, h.stride}, h.head_dim, h.seq, values);
  gemm.pack({h.k, h.stride, 1}, h.seq, h.head_dim, keys);
  gemm.pack({h.q, h.stride, 1}, h.seq, h.head_dim, queries);
  gemm.pack({dy, h.y_stride, 1}, h.seq, h.head_dim, outputs);
  const int64_t panel = kPanel * h.seq;
  for (int64_t i0 = 0; i0 < h.seq; i0 += kQueries) {
    const int64_t i1 = smaller(i0 + kQueries, h.seq);
    gemm.packed({.m = i1 - i0,
                 .n = keys_for(h, i1),
                 .k = h.head_dim,
                 .a = {dy + i0 * h.y_stride, h.y_stride, 1},
                 .packed = values,
                 .panel_stride = kPanel * h.head_dim,
                 .c = ds + i0 * h.seq,
                 .ldc = h.seq});
    for (int64_t i = i0; i < i1; ++i) {
      softmax_grad(ds + i * h.seq, probs + i * h.seq, scale, keys_seen(h, i + 1), keys_seen(h, i1));
    }
    gemm.packed({.m = i1 - i0,
                 .n = h.head_dim,
                 .k = keys_seen(h, i1),
                 .a = {ds + i0 * h.seq, h.seq, 1},
                 .packed = keys,
                 .panel_stride = panel,
                 .c = dq + i0 * h.stride,
                 .ldc = h.stride});
  }
  for (int64_t j0 = 0; j0 < h.seq; j0 += kQueries) {  // of these keys and values: the queries that may see them
    const int64_t first = h.causal ? j0 : 0, rows = smaller(kQueries, h.seq - j0), from = first * h.seq + j0;
    gemm.packed({.m = rows,
                 .n = h.head_dim,
                 .k = h.seq - first,
                 .a = {probs + from, 1, h.seq},
                 .packed = outputs + first * kPanel,
                 .panel_stride = panel,
                 .c = dv + j0 * h.stride,
                 .ldc = h.stride});
    gemm.packed({.m = rows,
                 .n = h.head_dim,
                 .k = h.seq - first,
                 .a = {ds + from, 1, h.seq},
                 .packed = queries + first * kPanel,
                 .panel_stride = panel,
                 .c = dk + j0 * h.stride,
                 .ldc = h.stride});
  }
}

}  // namespace

AttentionCode attention_code() { return {forward, backward}; }

}  // namespace lockstep::kernels::LOCKSTEP_ISA
