#pragma once

#include <cstdint>

#include "reference_trainer/kernels/vector/gemm.h"

namespace lockstep::kernels {

/// One head of one sample. q, k, v have rows `stride` floats apart, y and dy rows `y_stride`; probs is [seq, seq].
struct AttentionHead {
  bool causal = true;
  int64_t seq = 0, head_dim = 0, stride = 0, y_stride = 0;
  const float *q = nullptr, *k = nullptr, *v = nullptr;
};

/// Floats of scratch that a head needs, forward or backward, a multiple of 16.
inline constexpr int64_t attention_scratch_floats(int64_t seq, int64_t head_dim) {
  return 3 * packed_floats(seq, head_dim) + 3 * packed_floats(head_dim, seq) + seq * panels_of(seq) * kPanel;
}

/// Attention. Of probs only the blocks of keys that some query may see are written, and read again by the gradient.
struct AttentionCode {
  void (*forward)(const AttentionHead& head, float* y, float* probs, float* scratch, const GemmCode& gemm);
  /// dq, dk, dv have the strides of q, k, v.
  void (*backward)(const AttentionHead& head, const float* probs, const float* dy, float* dq, float* dk, float* dv,
                   float* scratch, const GemmCode& gemm);
};

}  // namespace lockstep::kernels
