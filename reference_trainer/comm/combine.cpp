#include "reference_trainer/comm/combine.h"

#include <cstring>

#include "adapters/contract/invariant.h"

// A copy an instruction set, chosen when the program starts. ThreadSanitizer's run time is not ready when such choices
// are made.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define LOCKSTEP_VECTORIZED [[gnu::target_clones("avx2", "default")]]
#else
#define LOCKSTEP_VECTORIZED
#endif

namespace lockstep::comm {
namespace {

template <typename T>
inline T larger(T a, T b) {
  return (b > a || b != b) ? b : a;
}

LOCKSTEP_VECTORIZED void sum_f32(float* __restrict target, const float* __restrict source, int64_t n) {
  for (int64_t i = 0; i < n; ++i) target[i] += source[i];
}
LOCKSTEP_VECTORIZED void sum_f64(double* __restrict target, const double* __restrict source, int64_t n) {
  for (int64_t i = 0; i < n; ++i) target[i] += source[i];
}
LOCKSTEP_VECTORIZED void max_f32(float* __restrict target, const float* __restrict source, int64_t n) {
  for (int64_t i = 0; i < n; ++i) target[i] = larger(target[i], source[i]);
}
LOCKSTEP_VECTORIZED void max_f64(double* __restrict target, const double* __restrict source, int64_t n) {
  for (int64_t i = 0; i < n; ++i) target[i] = larger(target[i], source[i]);
}
LOCKSTEP_VECTORIZED void sum_both_f32(float* __restrict a, float* __restrict b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) a[i] = b[i] = a[i] + b[i];
}
LOCKSTEP_VECTORIZED void sum_both_f64(double* __restrict a, double* __restrict b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) a[i] = b[i] = a[i] + b[i];
}
LOCKSTEP_VECTORIZED void max_both_f32(float* __restrict a, float* __restrict b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) a[i] = b[i] = larger(a[i], b[i]);
}
LOCKSTEP_VECTORIZED void max_both_f64(double* __restrict a, double* __restrict b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) a[i] = b[i] = larger(a[i], b[i]);
}

template <typename T>
T* as(std::byte* data) {
  return reinterpret_cast<T*>(data);
}
template <typename T>
const T* as(const std::byte* data) {
  return reinterpret_cast<const T*>(data);
}

}  // namespace

void combine(Combine how, Buffer target, const std::byte* source) {
  const bool f32 = target.element == Element::f32;
  if (target.count == 0) return;
  if (how == Combine::replace) {
    std::memcpy(target.data, source, static_cast<size_t>(target.bytes()));
    return;
  }
  LOCKSTEP_INVARIANT(target.element != Element::b16, "{} numbers of 16 bits are to be added up", target.count);
  if (how == Combine::sum) {
    f32 ? sum_f32(as<float>(target.data), as<float>(source), target.count)
        : sum_f64(as<double>(target.data), as<double>(source), target.count);
  } else {
    f32 ? max_f32(as<float>(target.data), as<float>(source), target.count)
        : max_f64(as<double>(target.data), as<double>(source), target.count);
  }
}

void combine_both(Combine how, Buffer a, std::byte* b) {
  const bool f32 = a.element == Element::f32;
  if (how == Combine::sum) {
    f32 ? sum_both_f32(as<float>(a.data), as<float>(b), a.count)
        : sum_both_f64(as<double>(a.data), as<double>(b), a.count);
  } else {
    f32 ? max_both_f32(as<float>(a.data), as<float>(b), a.count)
        : max_both_f64(as<double>(a.data), as<double>(b), a.count);
  }
}

}  // namespace lockstep::comm
