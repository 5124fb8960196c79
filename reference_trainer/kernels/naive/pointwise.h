#pragma once

#include <cmath>

#include "reference_trainer/kernels/naive/call.h"
#include "workloads/data/philox.h"

namespace lockstep::kernels::naive {

/// y = f(a) or f(a, b) elementwise.
template <class T, class F>
void map(const Call<T>& call, F f) {
  for (int64_t i = 0; i < call.out[0].count; ++i) call.y(0)[i] = f(i);
}

template <class T>
void relu(const Call<T>& call) {
  map(call, [&](int64_t i) { return call.x(0)[i] > 0 ? call.x(0)[i] : T(0); });
}

template <class T>
void relu_grad(const Call<T>& call) {
  map(call, [&](int64_t i) { return call.x(1)[i] > 0 ? call.x(0)[i] : T(0); });
}

/// sqrt(2 / pi) and the cubic term of the tanh form.
template <class T>
inline constexpr T kGeluScale = T(0.79788456080286535587989211986876);
template <class T>
inline constexpr T kGeluCubic = T(0.044715);

template <class T>
void gelu(const Call<T>& call) {
  map(call, [&](int64_t i) {
    const T x = call.x(0)[i];
    return T(0.5) * x * (1 + std::tanh(kGeluScale<T> * (x + kGeluCubic<T> * x * x * x)));
  });
}

template <class T>
void gelu_grad(const Call<T>& call) {
  map(call, [&](int64_t i) {
    const T x = call.x(1)[i];
    const T t = std::tanh(kGeluScale<T> * (x + kGeluCubic<T> * x * x * x));
    const T inner = kGeluScale<T> * (1 + 3 * kGeluCubic<T> * x * x);
    return call.x(0)[i] * T(0.5) * ((1 + t) + x * (1 - t * t) * inner);
  });
}

template <class T>
void tanh(const Call<T>& call) {
  map(call, [&](int64_t i) { return std::tanh(call.x(0)[i]); });
}

template <class T>
void tanh_grad(const Call<T>& call) {
  map(call, [&](int64_t i) { return call.x(0)[i] * (1 - call.x(1)[i] * call.x(1)[i]); });
}

template <class T>
void add(const Call<T>& call) {
  map(call, [&](int64_t i) { return call.x(0)[i] + call.x(1)[i]; });
}

template <class T>
void reshape(const Call<T>& call) {
  map(call, [&](int64_t i) { return call.x(0)[i]; });
}

/// Element e of a (whole) sample is kept when word e % 4 of draw (sample id * draws per sample + e / 4) of the stream
/// (seed, op name, step) is at least rate * 2^32. Forward and gradient are the same function.
template <class T>
void dropout(const Call<T>& call) {
  const int64_t samples = call.in[0].dims[0], each = samples == 0 ? 0 : call.in[0].count / samples;
  if (!call.context.training || call.attr().rate <= 0) return reshape(call);
  const workloads::Draws draws(call.context.seed, dropout_stream(call.op.name),
                               static_cast<uint64_t>(call.context.step));
  const auto threshold = static_cast<uint64_t>(call.attr().rate * 0x1p32);
  const T scale = T(1 / (1 - call.attr().rate));
  const std::vector<int64_t> whole = graph::whole_elements(*call.in[0].tensor);
  const int64_t draws_each = (graph::whole_count(*call.in[0].tensor) + 3) / 4;
  for (int64_t n = 0; n < samples; ++n) {
    for (int64_t e = 0; e < each; ++e) {
      const int64_t at = whole.empty() ? e : whole[static_cast<size_t>(e)];
      const auto words = draws.block(static_cast<uint64_t>(call.index(1)[n] * draws_each + at / 4));
      const bool kept = words[static_cast<size_t>(at % 4)] >= threshold;
      call.y(0)[n * each + e] = kept ? call.x(0)[n * each + e] * scale : T(0);
    }
  }
}

}  // namespace lockstep::kernels::naive
