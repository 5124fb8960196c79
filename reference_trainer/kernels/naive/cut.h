#pragma once

#include <algorithm>
#include <array>

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
void pad(const Call<T>& call) {
  const auto [outer, given, inner] = around(call.in[0], call.attr().axis);
  const int64_t all = around(call.out[0], call.attr().axis)[1] * inner;
  std::fill_n(call.y(0), call.out[0].count, T(0));
  for (int64_t o = 0; o < outer; ++o)
    std::copy_n(call.x(0) + o * given * inner, given * inner, call.y(0) + o * all + call.attr().begin * inner);
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

}  // namespace lockstep::kernels::naive
