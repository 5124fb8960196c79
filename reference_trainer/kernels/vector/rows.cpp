#include "reference_trainer/kernels/vector/rows.h"

#include "reference_trainer/kernels/vector/functions.h"

namespace lockstep::kernels::LOCKSTEP_ISA {
namespace {

float sum_of(const float* x, int64_t n) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

void layer_norm(const float* x, const float* gamma, const float* beta, float* y, float* mean, float* rstd, int64_t rows,
                int64_t width, float epsilon) {
  for (int64_t row = 0; row < rows; ++row, x += width, y += width) {
    const float mu = sum_of(x, width) / float(width);
    float variance = 0;
#pragma omp simd reduction(+ : variance)
    for (int64_t i = 0; i < width; ++i) variance += (x[i] - mu) * (x[i] - mu);
    const float r = 1.0f / __builtin_sqrtf(variance / float(width) + epsilon);
#pragma omp simd
    for (int64_t i = 0; i < width; ++i) y[i] = (x[i] - mu) * r * gamma[i] + beta[i];
    mean[row] = mu;
    rstd[row] = r;
  }
}

void layer_norm_grad(const float* x, const float* dy, const float* gamma, const float* mean, const float* rstd,
                     float* dx, float* dgamma, float* dbeta, int64_t rows, int64_t width) {
  for (int64_t row = 0; row < rows; ++row, x += width, dy += width, dx += width) {
    const float mu = mean[row], r = rstd[row];
    float sum = 0, dot = 0;
#pragma omp simd reduction(+ : sum, dot)
    for (int64_t i = 0; i < width; ++i) {
      const float normal = (x[i] - mu) * r, g = dy[i] * gamma[i];
      sum += g;
      dot += g * normal;
      dgamma[i] += dy[i] * normal;
      dbeta[i] += dy[i];
    }
    sum /= float(width);
    dot /= float(width);
#pragma omp simd
    for (int64_t i = 0; i < width; ++i) dx[i] = r * (dy[i] * gamma[i] - sum - (x[i] - mu) * r * dot);
  }
}

void cross_entropy(const float* x, const int32_t* labels, float* lse, int64_t rows, int64_t classes, double* loss,
                   double* correct) {
  double losses = 0;
  int64_t right = 0;
  for (int64_t row = 0; row < rows; ++row, x += classes) {
    float top = x[0];
#pragma omp simd reduction(max : top)
    for (int64_t i = 1; i < classes; ++i) top = larger(top, x[i]);
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < classes; ++i) sum += exp_of(x[i] - top);
    const int64_t label = labels[row];
    bool best = x[label] == top;  // and the first of equals
    for (int64_t i = 0; best && i < label; ++i) best = x[i] != top;
    right += best;
    lse[row] = top + __builtin_logf(sum);
    losses += double(lse[row] - x[label]);
  }
  *loss += losses;
  *correct += double(right);
}

void cross_entropy_grad(const float* x, const int32_t* labels, const float* lse, float* dx, int64_t rows, int64_t first,
                        int64_t classes, float scale) {
  for (int64_t row = 0; row < rows; ++row, x += classes, dx += classes) {
    const float shift = lse[row];
#pragma omp simd
    for (int64_t i = 0; i < classes; ++i) dx[i] = exp_of(x[i] - shift) * scale;
    const int64_t label = labels[row] - first;
    if (label >= 0 && label < classes) dx[label] -= scale;
  }
}

void row_max(const float* x, float* top, int64_t rows, int64_t classes) {
  for (int64_t row = 0; row < rows; ++row, x += classes) {
    float most = x[0];
#pragma omp simd reduction(max : most)
    for (int64_t i = 0; i < classes; ++i) most = x[i] > most ? x[i] : most;
    top[row] = most;
  }
}

void cross_entropy_sums(const float* x, const int32_t* labels, const float* top, float* sums, int64_t rows,
                        int64_t first, int64_t classes) {
  for (int64_t row = 0; row < rows; ++row, x += classes, sums += 3) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < classes; ++i) sum += exp_of(x[i] - top[row]);
    const int64_t label = labels[row] - first;
    int64_t equal = 0;
    for (int64_t i = 0; i < classes && i < label; ++i) equal += x[i] == top[row];
    sums[0] = sum;
    sums[1] = label >= 0 && label < classes ? x[label] : 0;
    sums[2] = float(equal);
  }
}

void column_sums(const float* x, int64_t rows, int64_t width, int64_t stride, float* into) {
  int64_t row = 0;
  for (; row + 4 <= rows; row += 4, x += 4 * stride) {
#pragma omp simd
    for (int64_t i = 0; i < width; ++i) into[i] += (x[i] + x[stride + i]) + (x[2 * stride + i] + x[3 * stride + i]);
  }
  for (; row < rows; ++row, x += stride) {
#pragma omp simd
    for (int64_t i = 0; i < width; ++i) into[i] += x[i];
  }
}

double sum(const float* x, int64_t n) {
  double total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < n; ++i) total += double(x[i]);
  return total;
}

double centered(const float* x, const float* y, float mean, int64_t n) {
  double total = 0;
  if (y == nullptr) {
#pragma omp simd reduction(+ : total)
    for (int64_t i = 0; i < n; ++i) total += double((x[i] - mean) * (x[i] - mean));
  } else {
#pragma omp simd reduction(+ : total)
    for (int64_t i = 0; i < n; ++i) total += double((x[i] - mean) * y[i]);
  }
  return total;
}

void affine(float* y, const float* x, float scale, float shift, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * scale + shift;
}

void combine(float* dx, const float* dy, const float* x, float a, float b, float c, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) dx[i] = a * dy[i] + b * x[i] + c;
}

}  // namespace

RowsCode rows_code() {
  return {layer_norm, layer_norm_grad, cross_entropy, cross_entropy_grad, row_max, cross_entropy_sums, column_sums, sum,
          centered,   affine,          combine};
}

}  // namespace lockstep::kernels::LOCKSTEP_ISA
