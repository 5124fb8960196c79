#pragma once

#include <cstdint>

namespace lockstep::kernels {

/// Right operands are packed in panels of this many columns, zero-filled at the edge: panel p holds rows 0 to k-1 of
/// columns [16 p, 16 p + 16), one row after the other.
inline constexpr int64_t kPanel = 16;

inline constexpr int64_t panels_of(int64_t n) { return (n + kPanel - 1) / kPanel; }
inline constexpr int64_t packed_floats(int64_t n, int64_t k) { return panels_of(n) * kPanel * k; }

/// A matrix by strides: element (i, j) at data[i * row + j * column].
struct MatrixView {
  const float* data = nullptr;
  int64_t row = 0, column = 1;

  const float* at(int64_t i, int64_t j) const { return data + i * row + j * column; }
};

enum class Finish : uint8_t { none, relu };

/// c = finish(a b + bias), or c += a b with `accumulate`; c is row-major with row stride ldc.
struct Gemm {
  int64_t m = 0, n = 0, k = 0;
  MatrixView a, b;
  float* c = nullptr;
  int64_t ldc = 0;
  const float* bias = nullptr;  ///< one a column
  Finish finish = Finish::none;
  bool accumulate = false;
};

/// The same with b packed beforehand in panels; panel p is at packed + p * panel_stride.
struct PackedGemm {
  int64_t m = 0, n = 0, k = 0;
  MatrixView a;
  const float* packed = nullptr;
  int64_t panel_stride = 0;
  float* c = nullptr;
  int64_t ldc = 0;
  const float* bias = nullptr;
  Finish finish = Finish::none;
  bool accumulate = false;
};

/// Matrix products in fp32 after Goto and van de Geijn (2008): the right operand is packed, a left operand is packed
/// only where its rows are not contiguous.
struct GemmCode {
  /// `scratch`: gemm_scratch_floats(), 64-byte aligned.
  void (*gemm)(const Gemm& gemm, float* scratch);
  void (*packed)(const PackedGemm& gemm);
  /// Packs rows [0, k) and columns [0, n) of b into packed_floats(n, k).
  void (*pack)(MatrixView b, int64_t k, int64_t n, float* packed);
};

inline constexpr int64_t kBlockK = 320, kBlockN = 512, kBlockM = 144;  // of a pass: b 640 KiB in L3, a 180 KiB in L2
inline constexpr int64_t kTileM = 6;

inline constexpr int64_t gemm_scratch_floats() { return kBlockK * (kBlockN + kBlockM) + 16; }

}  // namespace lockstep::kernels
