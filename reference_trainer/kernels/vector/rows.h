#pragma once

#include <cstdint>

namespace lockstep::kernels {

/// Loops over rows of `width` numbers in fp32, with sums along a row or down the columns.
struct RowsCode {
  void (*layer_norm)(const float* x, const float* gamma, const float* beta, float* y, float* mean, float* rstd,
                     int64_t rows, int64_t width, float epsilon);
  /// dgamma and dbeta are added to.
  void (*layer_norm_grad)(const float* x, const float* dy, const float* gamma, const float* mean, const float* rstd,
                          float* dx, float* dgamma, float* dbeta, int64_t rows, int64_t width);
  /// Adds the losses and the count of right predictions of the rows to *loss and *correct.
  void (*cross_entropy)(const float* x, const int32_t* labels, float* lse, int64_t rows, int64_t classes, double* loss,
                        double* correct);
  /// Of rows that hold classes [first, first + classes) of the whole.
  void (*cross_entropy_grad)(const float* x, const int32_t* labels, const float* lse, float* dx, int64_t rows,
                             int64_t first, int64_t classes, float scale);
  /// Of rows that hold classes [first, first + classes) of the whole: the maximum of each; then sums[3 row ..] of
  /// exp(x - top), the label's logit if it is here, and how many entries before the label equal the top.
  void (*row_max)(const float* x, float* top, int64_t rows, int64_t classes);
  void (*cross_entropy_sums)(const float* x, const int32_t* labels, const float* top, float* sums, int64_t rows,
                             int64_t first, int64_t classes);
  /// into[j] += sum of x[i * stride + j] over the rows, for j < width.
  void (*column_sums)(const float* x, int64_t rows, int64_t width, int64_t stride, float* into);
  double (*sum)(const float* x, int64_t n);
  /// Sum of (x - mean) * y; with y == nullptr of (x - mean)^2.
  double (*centered)(const float* x, const float* y, float mean, int64_t n);
  /// y = x * scale + shift.
  void (*affine)(float* y, const float* x, float scale, float shift, int64_t n);
  /// dx = a * dy + b * x + c.
  void (*combine)(float* dx, const float* dy, const float* x, float a, float b, float c, int64_t n);
};

}  // namespace lockstep::kernels
