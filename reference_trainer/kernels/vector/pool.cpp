#include "reference_trainer/kernels/vector/pool.h"

#include "reference_trainer/kernels/vector/isa.h"

namespace lockstep::kernels::LOCKSTEP_ISA {
namespace {

template <int block>
struct Lanes {
  typedef float Real __attribute__((vector_size(4 * block), aligned(4), may_alias));
  typedef int32_t Index __attribute__((vector_size(4 * block), aligned(4), may_alias));

  static Real load(const float* at) { return *reinterpret_cast<const Real*>(at); }
  static void store(float* at, Real v) { *reinterpret_cast<Real*>(at) = v; }
  static Index load(const int32_t* at) { return *reinterpret_cast<const Index*>(at); }
  static void store(int32_t* at, Index v) { *reinterpret_cast<Index*>(at) = v; }
};

inline int64_t clamped(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }

/// Window elements [first, end) that lie inside the input; `at` is the input's index of element 0.
struct Range {
  int64_t at, first, end;
};

inline Range range_of(int64_t output, int64_t stride, int64_t pad, int64_t kernel, int64_t size) {
  const int64_t at = output * stride - pad;
  return {at, clamped(-at, 0, kernel), clamped(size - at, 0, kernel)};
}

/// Calls visit(output offset, input offset, index within the window): offsets count blocks of numbers; `start` and
/// `stop` around the elements of one output.
template <class Start, class Visit, class Stop>
inline __attribute__((always_inline)) void for_each_window(const PlaneWindow& z, Start start, Visit visit, Stop stop) {
  for (int64_t p = 0; p < z.p; ++p) {
    const Range rows = range_of(p, z.stride_h, z.pad_top, z.kernel_h, z.h);
    for (int64_t q = 0; q < z.q; ++q) {
      const Range columns = range_of(q, z.stride_w, z.pad_left, z.kernel_w, z.w);
      const int64_t output = p * z.q + q;
      start(output);
      for (int64_t r = rows.first; r < rows.end; ++r) {
        for (int64_t s = columns.first; s < columns.end; ++s) {
          visit((rows.at + r) * z.w + columns.at + s, static_cast<int32_t>(r * z.kernel_w + s));
        }
      }
      stop(output);
    }
  }
}

template <int block>
void max(const PlaneWindow& z, const float* x, float* y, int32_t* chosen) {
  using L = Lanes<block>;
  typename L::Real best;
  typename L::Index which;
  for_each_window(
      z, [&](int64_t) { best = typename L::Real{}, which = typename L::Index{} - 1; },
      [&](int64_t input, int32_t index) {
        const auto v = L::load(x + input * block);
        const auto better = (v > best) | (which < 0);
        best = better ? v : best;
        which = better ? typename L::Index{} + index : which;
      },
      [&](int64_t output) {
        L::store(y + output * block, best);
        L::store(chosen + output * block, which);
      });
}

template <int block>
void max_grad(const PlaneWindow& z, const float* dy, const int32_t* chosen, float* dx) {
  using L = Lanes<block>;
  __builtin_memset(dx, 0, static_cast<uint64_t>(z.h * z.w * block) * sizeof(float));
  typename L::Real g;
  typename L::Index which;
  for_each_window(
      z, [&](int64_t output) { g = L::load(dy + output * block), which = L::load(chosen + output * block); },
      [&](int64_t input, int32_t index) {
        float* at = dx + input * block;
        L::store(at, L::load(at) + (which == index ? g : typename L::Real{}));
      },
      [](int64_t) {});
}

template <int block>
void average(const PlaneWindow& z, const float* x, float* y) {
  using L = Lanes<block>;
  const float share = 1.0f / float(z.kernel_h * z.kernel_w);
  typename L::Real sum;
  for_each_window(
      z, [&](int64_t) { sum = typename L::Real{}; }, [&](int64_t input, int32_t) { sum += L::load(x + input * block); },
      [&](int64_t output) { L::store(y + output * block, sum * share); });
}

template <int block>
void average_grad(const PlaneWindow& z, const float* dy, float* dx) {
  using L = Lanes<block>;
  const float share = 1.0f / float(z.kernel_h * z.kernel_w);
  __builtin_memset(dx, 0, static_cast<uint64_t>(z.h * z.w * block) * sizeof(float));
  typename L::Real g;
  for_each_window(
      z, [&](int64_t output) { g = L::load(dy + output * block) * share; },
      [&](int64_t input, int32_t) {
        float* at = dx + input * block;
        L::store(at, L::load(at) + g);
      },
      [](int64_t) {});
}

/// One row of the output against one row of the input: `count` columns of the window at once.
template <int block, int count>
void weight_grad_row(const float* x, int64_t stride, const float* dy, int64_t n, float* dw) {
  using L = Lanes<block>;
  typename L::Real sum[count] = {};
  for (int64_t i = 0; i < n; ++i) {
    const auto g = L::load(dy + i * block);
#pragma GCC unroll 8
    for (int s = 0; s < count; ++s) sum[s] += g * x[i * stride + s];
  }
  for (int s = 0; s < count; ++s) L::store(dw + s * block, L::load(dw + s * block) + sum[s]);
}

/// Columns [s0, s0 + count) of the window, along the outputs for which all of them are inside; the others one by one.
template <int block, int count>
void weight_grad_columns(const PlaneWindow& z, const float* x_row, const float* dy_row, int64_t s0, float* dw_row) {
  const int64_t left = z.pad_left - s0, right = z.w + z.pad_left - s0 - count;  // q stride >= left, <= right
  const int64_t first = clamped((left + z.stride_w - 1) / z.stride_w, 0, z.q);
  const int64_t end = right < 0 ? first : clamped(right / z.stride_w + 1, first, z.q);
  weight_grad_row<block, count>(x_row + first * z.stride_w - left, z.stride_w, dy_row + first * block, end - first,
                                dw_row + s0 * block);
  for (int64_t q = 0; q < z.q; ++q) {
    if (q == first) q = end;
    if (q >= z.q) break;
    for (int64_t s = s0; s < s0 + count; ++s) {
      const int64_t column = q * z.stride_w - z.pad_left + s;
      if (column < 0 || column >= z.w) continue;
      weight_grad_row<block, 1>(x_row + column, 1, dy_row + q * block, 1, dw_row + s * block);
    }
  }
}

template <int block>
void weight_grad(const PlaneWindow& z, const float* x, const float* dy, float* dw) {
  for (int64_t p = 0; p < z.p; ++p) {
    const Range rows = range_of(p, z.stride_h, z.pad_top, z.kernel_h, z.h);
    for (int64_t r = rows.first; r < rows.end; ++r) {
      const float *x_row = x + (rows.at + r) * z.w, *dy_row = dy + p * z.q * block;
      float* dw_row = dw + r * z.kernel_w * block;
      int64_t s = 0;
      for (; s + 5 <= z.kernel_w; s += 5) weight_grad_columns<block, 5>(z, x_row, dy_row, s, dw_row);
      for (; s + 3 <= z.kernel_w; s += 3) weight_grad_columns<block, 3>(z, x_row, dy_row, s, dw_row);
      for (; s < z.kernel_w; ++s) weight_grad_columns<block, 1>(z, x_row, dy_row, s, dw_row);
    }
  }
}

/// Calls the loop made for this block; others do not exist.
#define LOCKSTEP_BY_BLOCK(loop, ...) \
  if (block == 8) {                  \
    loop<8>(__VA_ARGS__);            \
  } else if (block == 16) {          \
    loop<16>(__VA_ARGS__);           \
  } else {                           \
    loop<1>(__VA_ARGS__);            \
  }

void max_of(const PlaneWindow& z, int64_t block, const float* x, float* y, int32_t* chosen) {
  LOCKSTEP_BY_BLOCK(max, z, x, y, chosen)
}
void max_grad_of(const PlaneWindow& z, int64_t block, const float* dy, const int32_t* chosen, float* dx) {
  LOCKSTEP_BY_BLOCK(max_grad, z, dy, chosen, dx)
}
void average_of(const PlaneWindow& z, int64_t block, const float* x, float* y) { LOCKSTEP_BY_BLOCK(average, z, x, y) }
void average_grad_of(const PlaneWindow& z, int64_t block, const float* dy, float* dx) {
  LOCKSTEP_BY_BLOCK(average_grad, z, dy, dx)
}
void weight_grad_of(const PlaneWindow& z, int64_t block, const float* x, const float* dy, float* dw) {
  LOCKSTEP_BY_BLOCK(weight_grad, z, x, dy, dw)
}
#undef LOCKSTEP_BY_BLOCK

}  // namespace

PoolCode pool_code() { return {max_of, max_grad_of, average_of, average_grad_of, weight_grad_of}; }

}  // namespace lockstep::kernels::LOCKSTEP_ISA
