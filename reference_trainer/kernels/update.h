#pragma once

#include <cstdint>

namespace lockstep::kernels {

/// Optimizer updates and reductions on flat, contiguous arrays of n numbers; T is float or double. Each is one pass
/// over memory, deterministic, and gives the same result for an element wherever the array is cut. `grad_scale`
/// multiplies the gradient before anything else (clipping). Arrays may not overlap.

/// w -= lr * (g + weight_decay * w), with g = grad_scale * g.
template <class T>
void sgd(T* w, const T* g, int64_t n, double lr, double weight_decay, double grad_scale);

/// v = mu * v + (g + weight_decay * w); w -= lr * v, or with `nesterov` w -= lr * ((g + weight_decay * w) + mu * v)
/// (Sutskever et al. 2013, in the form of torch.optim.SGD).
template <class T>
void momentum(T* w, const T* g, T* v, int64_t n, double lr, double mu, bool nesterov, double weight_decay,
              double grad_scale);

/// Adam with decoupled weight decay (Loshchilov and Hutter 2019), bias corrected. `step` counts from 1.
template <class T>
void adamw(T* w, const T* g, T* m, T* v, int64_t n, double lr, double beta1, double beta2, double epsilon,
           double weight_decay, int64_t step, double grad_scale);

/// LAMB's direction in place of the gradient: g = m' / (sqrt(v') + epsilon) + weight_decay * w, with Adam's
/// bias-corrected moments (You et al. 2020). `step` counts from 1.
template <class T>
void lamb_direction(const T* w, T* g, T* m, T* v, int64_t n, double beta1, double beta2, double epsilon,
                    double weight_decay, int64_t step, double grad_scale);

/// LARS (You et al. 2017): v = mu * v + rate * (g + weight_decay * w); w -= v.
template <class T>
void lars(T* w, const T* g, T* v, int64_t n, double rate, double mu, double weight_decay);

/// out = w - rate * v: where w will be after updates along v whose rates add up to `rate`.
template <class T>
void extrapolate(T* out, const T* w, const T* v, int64_t n, double rate);

/// Sum of x[i]^2, added in double in a fixed order.
template <class T>
double sum_of_squares(const T* x, int64_t n);

/// into[i] += from[i].
template <class T>
void accumulate(T* into, const T* from, int64_t n);

/// x[i] *= factor.
template <class T>
void scale(T* x, int64_t n, double factor);

}  // namespace lockstep::kernels
