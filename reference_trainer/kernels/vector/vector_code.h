#pragma once

#include <cstdint>

#include "reference_trainer/kernels/vector/attention.h"
#include "reference_trainer/kernels/vector/cast.h"
#include "reference_trainer/kernels/vector/gemm.h"
#include "reference_trainer/kernels/vector/lstm.h"
#include "reference_trainer/kernels/vector/pointwise.h"
#include "reference_trainer/kernels/vector/pool.h"
#include "reference_trainer/kernels/vector/rows.h"

namespace lockstep::kernels {

/// Updates on flat arrays, see update.h; the scalar factors are worked out by the caller.
template <class T>
struct UpdateCode {
  void (*sgd)(T* w, const T* g, int64_t n, T lr, T weight_decay, T grad_scale);
  void (*momentum)(T* w, const T* g, T* v, int64_t n, T lr, T mu, T weight_decay, T grad_scale);
  void (*nesterov)(T* w, const T* g, T* v, int64_t n, T lr, T mu, T weight_decay, T grad_scale);
  /// keep = 1 - lr * weight_decay, rate = lr / (1 - beta1^step), root = 1 / sqrt(1 - beta2^step).
  void (*adamw)(T* w, const T* g, T* m, T* v, int64_t n, T keep, T rate, T root, T beta1, T beta2, T epsilon,
                T grad_scale);
  double (*sum_of_squares)(const T* x, int64_t n);
  void (*accumulate)(T* into, const T* from, int64_t n);
  void (*scale)(T* x, int64_t n, T factor);
};

/// The vectorized loops of one instruction set. The files beside this one are compiled once for each (CMakeLists.txt);
/// they include no standard templates, so that no code of a better instruction set leaks into shared inline functions.
struct VectorCode {
  const char* isa;
  UpdateCode<float> update32;
  UpdateCode<double> update64;
  GemmCode gemm;
  PointwiseCode pointwise;
  RowsCode rows;
  AttentionCode attention;
  LstmCode lstm;
  PoolCode pool;
  CastCode cast;
};

/// The best that this processor can run.
const VectorCode& vector_code();

}  // namespace lockstep::kernels
