#pragma once

#include "reference_trainer/kernels/block_attention.h"
#include "reference_trainer/kernels/naive/call.h"

namespace lockstep::kernels::naive {

/// Elements of the axes before `axis`, of it, and of those after it.
inline std::array<int64_t, 3> around(const Operand& operand, int axis) {
  std::array<int64_t, 3> counts = {1, 1, 1};
  for (int i = 0; i < static_cast<int>(operand.dims.size()); ++i)
    counts[i < axis ? 0 : i == axis ? 1 : 2] *= operand.dims[static_cast<size_t>(i)];
  return counts;
}

template <class T>
void narrow(const Call<T>& call) {
  const auto [outer, all, inner] = around(call.in[0], call.attr().axis);
  const int64_t taken = around(call.out[0], call.attr().axis)[1] * inner;
  for (int64_t o = 0; o < outer; ++o)
    std::copy_n(call.x(0) + (o * all + call.attr().begin) * inner, taken, call.y(0) + o * taken);
}

template <class T>
void join(const Call<T>& call) {
  const auto [outer, first, inner] = around(call.in[0], call.attr().axis);
  const int64_t a = first * inner, b = around(call.in[1], call.attr().axis)[1] * inner;
  for (int64_t o = 0; o < outer; ++o) {
    std::copy_n(call.x(0) + o * a, a, call.y(0) + o * (a + b));
    std::copy_n(call.x(1) + o * b, b, call.y(0) + o * (a + b) + a);
  }
}

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
