#include "reference_trainer/kernels/vector/pointwise.h"

#include "reference_trainer/kernels/vector/functions.h"

namespace lockstep::kernels::LOCKSTEP_ISA {
namespace {

void relu(float* y, const float* x, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : 0.0f;
}

void relu_grad(float* dx, const float* dy, const float* y, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) dx[i] = y[i] > 0 ? dy[i] : 0.0f;
}

constexpr float kScale = 0.797884560802865356f, kCubic = 0.044715f;  // sqrt(2 / pi), and the tanh form's cubic term

void gelu(float* y, const float* x, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const float v = x[i];
    y[i] = 0.5f * v * (1.0f + tanh_of(kScale * v * (1.0f + kCubic * v * v)));
  }
}

void gelu_grad(float* dx, const float* dy, const float* x, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const float v = x[i], square = v * v;
    const float t = tanh_of(kScale * v * (1.0f + kCubic * square));
    const float slope = kScale * (1.0f + 3.0f * kCubic * square);
    dx[i] = dy[i] * 0.5f * (1.0f + t + v * (1.0f - t * t) * slope);
  }
}

void tanh(float* y, const float* x, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] = tanh_of(x[i]);
}

void tanh_grad(float* dx, const float* dy, const float* y, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) dx[i] = dy[i] * (1.0f - y[i] * y[i]);
}

void add(float* y, const float* a, const float* b, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] = a[i] + b[i];
}

void mask(float* y, const float* x, const uint32_t* words, uint32_t threshold, float scale, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] = words[i] >= threshold ? x[i] * scale : 0.0f;
}

}  // namespace

PointwiseCode pointwise_code() { return {relu, relu_grad, gelu, gelu_grad, tanh, tanh_grad, add, mask}; }

}  // namespace lockstep::kernels::LOCKSTEP_ISA
