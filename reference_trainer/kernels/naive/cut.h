#pragma once

#include <algorithm>

#include "reference_trainer/kernels/naive/call.h"

namespace lockstep::kernels::naive {

template <class T>
void narrow(const Call<T>& call) {
  const auto [outer, all, inner] = around(call.in[0], call.attr().axis);
  const int64_t taken = around(call.out[0], call.attr().axis).positions * inner;
  for (int64_t o = 0; o < outer; ++o)
    std::copy_n(call.x(0) + (o * all + call.attr().begin) * inner, taken, call.y(0) + o * taken);
}

template <class T>
void pad(const Call<T>& call) {
  const auto [outer, given, inner] = around(call.in[0], call.attr().axis);
  const int64_t all = around(call.out[0], call.attr().axis).positions * inner;
  std::fill_n(call.y(0), call.out[0].count, T(0));
  for (int64_t o = 0; o < outer; ++o)
    std::copy_n(call.x(0) + o * given * inner, given * inner, call.y(0) + o * all + call.attr().begin * inner);
}

template <class T>
void join(const Call<T>& call) {
  const auto [outer, first, inner] = around(call.in[0], call.attr().axis);
  const int64_t a = first * inner, b = around(call.in[1], call.attr().axis).positions * inner;
  for (int64_t o = 0; o < outer; ++o) {
    std::copy_n(call.x(0) + o * a, a, call.y(0) + o * (a + b));
    std::copy_n(call.x(1) + o * b, b, call.y(0) + o * (a + b) + a);
  }
}

}  // namespace lockstep::kernels::naive
