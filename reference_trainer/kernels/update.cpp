#include "reference_trainer/kernels/update.h"

#include <cmath>
#include <type_traits>

#include "reference_trainer/kernels/vector/vector_code.h"

namespace lockstep::kernels {
namespace {

template <class T>
const UpdateCode<T>& code() {
  if constexpr (std::is_same_v<T, float>) {
    return vector_code().update32;
  } else {
    return vector_code().update64;
  }
}

}  // namespace

template <class T>
void sgd(T* w, const T* g, int64_t n, double lr, double weight_decay, double grad_scale) {
  code<T>().sgd(w, g, n, T(lr), T(weight_decay), T(grad_scale));
}

template <class T>
void momentum(T* w, const T* g, T* v, int64_t n, double lr, double mu, bool nesterov, double weight_decay,
              double grad_scale) {
  const auto update = nesterov ? code<T>().nesterov : code<T>().momentum;
  update(w, g, v, n, T(lr), T(mu), T(weight_decay), T(grad_scale));
}

template <class T>
void adamw(T* w, const T* g, T* m, T* v, int64_t n, double lr, double beta1, double beta2, double epsilon,
           double weight_decay, int64_t step, double grad_scale) {
  const double rate = lr / (1 - std::pow(beta1, double(step)));
  const double root = 1 / std::sqrt(1 - std::pow(beta2, double(step)));
  code<T>().adamw(w, g, m, v, n, T(1 - lr * weight_decay), T(rate), T(root), T(beta1), T(beta2), T(epsilon),
                  T(grad_scale));
}

template <class T>
void lamb_direction(const T* w, T* g, T* m, T* v, int64_t n, double beta1, double beta2, double epsilon,
                    double weight_decay, int64_t step, double grad_scale) {
  const T mean = T(1 / (1 - std::pow(beta1, double(step)))), square = T(1 / (1 - std::pow(beta2, double(step))));
  for (int64_t i = 0; i < n; ++i) {
    const T scaled = T(grad_scale) * g[i];
    m[i] = T(beta1) * m[i] + T(1 - beta1) * scaled;
    v[i] = T(beta2) * v[i] + T(1 - beta2) * scaled * scaled;
    g[i] = m[i] * mean / (std::sqrt(v[i] * square) + T(epsilon)) + T(weight_decay) * w[i];
  }
}

template <class T>
void lars(T* w, const T* g, T* v, int64_t n, double rate, double mu, double weight_decay) {
  for (int64_t i = 0; i < n; ++i) {
    v[i] = T(mu) * v[i] + T(rate) * (g[i] + T(weight_decay) * w[i]);
    w[i] -= v[i];
  }
}

template <class T>
double sum_of_squares(const T* x, int64_t n) {
  return code<T>().sum_of_squares(x, n);
}

template <class T>
void accumulate(T* into, const T* from, int64_t n) {
  code<T>().accumulate(into, from, n);
}

template <class T>
void scale(T* x, int64_t n, double factor) {
  code<T>().scale(x, n, T(factor));
}

template <class T>
void extrapolate(T* out, const T* w, const T* v, int64_t n, double rate) {
  for (int64_t i = 0; i < n; ++i) out[i] = w[i] - T(rate) * v[i];
}

#define LOCKSTEP_UPDATES_OF(T)                                                                                  \
  template void sgd(T*, const T*, int64_t, double, double, double);                                             \
  template void momentum(T*, const T*, T*, int64_t, double, double, bool, double, double);                      \
  template void adamw(T*, const T*, T*, T*, int64_t, double, double, double, double, double, int64_t, double);  \
  template void lamb_direction(const T*, T*, T*, T*, int64_t, double, double, double, double, int64_t, double); \
  template void lars(T*, const T*, T*, int64_t, double, double, double);                                        \
  template double sum_of_squares(const T*, int64_t);                                                            \
  template void extrapolate(T*, const T*, const T*, int64_t, double);                                           \
  template void accumulate(T*, const T*, int64_t);                                                              \
  template void scale(T*, int64_t, double);
LOCKSTEP_UPDATES_OF(float)
LOCKSTEP_UPDATES_OF(double)
#undef LOCKSTEP_UPDATES_OF

}  // namespace lockstep::kernels
