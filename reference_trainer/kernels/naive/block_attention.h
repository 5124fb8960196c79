#pragma once

#include "reference_trainer/kernels/block_attention.h"
#include "reference_trainer/kernels/naive/call.h"

namespace lockstep::kernels::naive {

template <class T>
void block_attention(const Call<T>& call) {
  const BlockShape z = block_shape(*call.in[0].tensor, *call.in[1].tensor);
  for (size_t k = 0; k < 3; ++k) {
    if (call.in.size() > 2) {
      std::copy_n(call.x(2 + k), call.out[k].count, call.y(k));
    } else {
      std::fill_n(call.y(k), call.out[k].count, kNoBlock<T>[k]);
    }
  }
  for (int64_t head = 0; head < call.in[0].dims[0] * z.heads; ++head)
    kernels::block_attention(z, head, call.x(0), call.x(1), call.y(0), call.y(1), call.y(2));
}

/// Of an output tensor [batch, seq, heads, head_dim].
inline BlockShape rows_shape(const Operand& y) { return {y.dims[1], 0, y.dims[2], y.dims[3], {}}; }

template <class T>
void block_attention_total(const Call<T>& call) {
  const BlockShape z = rows_shape(call.in[0]);
  for (int64_t head = 0; head < call.in[0].dims[0] * z.heads; ++head)
    kernels::block_attention_total(z, head, call.x(0), call.x(1), call.x(2), call.y(0), call.y(1));
}

template <class T>
void attention_delta(const Call<T>& call) {
  const BlockShape z = rows_shape(call.in[0]);
  for (int64_t head = 0; head < call.in[0].dims[0] * z.heads; ++head)
    kernels::attention_delta(z, head, call.x(0), call.x(1), call.y(0));
}

template <class T>
void block_attention_grad(const Call<T>& call) {
  const BlockShape z = block_shape(*call.in[0].tensor, *call.in[1].tensor);
  for (size_t k = 0; k < 2; ++k) {
    if (call.in.size() > 5) {
      std::copy_n(call.x(5 + k), call.out[k].count, call.y(k));
    } else {
      std::fill_n(call.y(k), call.out[k].count, T(0));
    }
  }
  for (int64_t head = 0; head < call.in[0].dims[0] * z.heads; ++head)
    kernels::block_attention_grad(z, head, call.x(0), call.x(1), call.x(2), call.x(3), call.x(4), call.y(0), call.y(1));
}

}  // namespace lockstep::kernels::naive
