#include "reference_trainer/kernels/vector/isa.h"
#include "reference_trainer/kernels/vector/vector_code.h"

namespace lockstep::kernels::LOCKSTEP_ISA {
namespace {

template <class T>
void sgd(T* __restrict w, const T* __restrict g, int64_t n, T lr, T weight_decay, T grad_scale) {
  for (int64_t i = 0; i < n; ++i) w[i] -= lr * (grad_scale * g[i] + weight_decay * w[i]);
}

template <class T>
void momentum(T* __restrict w, const T* __restrict g, T* __restrict v, int64_t n, T lr, T mu, T weight_decay,
              T grad_scale) {
  for (int64_t i = 0; i < n; ++i) {
    v[i] = mu * v[i] + (grad_scale * g[i] + weight_decay * w[i]);
    w[i] -= lr * v[i];
  }
}

template <class T>
void nesterov(T* __restrict w, const T* __restrict g, T* __restrict v, int64_t n, T lr, T mu, T weight_decay,
              T grad_scale) {
  for (int64_t i = 0; i < n; ++i) {
    const T d = grad_scale * g[i] + weight_decay * w[i];
    v[i] = mu * v[i] + d;
    w[i] -= lr * (d + mu * v[i]);
  }
}

inline float root_of(float x) { return __builtin_sqrtf(x); }
inline double root_of(double x) { return __builtin_sqrt(x); }

template <class T>
void adamw(T* __restrict w, const T* __restrict g, T* __restrict m, T* __restrict v, int64_t n, T keep, T rate, T root,
           T beta1, T beta2, T epsilon, T grad_scale) {
  for (int64_t i = 0; i < n; ++i) {
    const T d = grad_scale * g[i];
    m[i] = beta1 * m[i] + (1 - beta1) * d;
    v[i] = beta2 * v[i] + (1 - beta2) * d * d;
    w[i] = keep * w[i] - rate * m[i] / (root * root_of(v[i]) + epsilon);
  }
}

/// Eight partial sums, whatever the width of the machine's vectors: the same result on every processor.
template <class T>
double sum_of_squares(const T* x, int64_t n) {
  double part[8] = {};
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (int lane = 0; lane < 8; ++lane) part[lane] += double(x[i + lane]) * double(x[i + lane]);
  }
  for (int lane = 0; i < n; ++i, ++lane) part[lane] += double(x[i]) * double(x[i]);
  return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
}

template <class T>
void accumulate(T* __restrict into, const T* __restrict from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) into[i] += from[i];
}

template <class T>
void scale(T* x, int64_t n, T factor) {
  for (int64_t i = 0; i < n; ++i) x[i] *= factor;
}

template <class T>
constexpr UpdateCode<T> kCode = {&sgd<T>,        &momentum<T>, &nesterov<T>, &adamw<T>, &sum_of_squares<T>,
                                 &accumulate<T>, &scale<T>};

}  // namespace

UpdateCode<float> update32() { return kCode<float>; }
UpdateCode<double> update64() { return kCode<double>; }

}  // namespace lockstep::kernels::LOCKSTEP_ISA
