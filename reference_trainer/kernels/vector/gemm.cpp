#include "reference_trainer/kernels/vector/gemm.h"

#include "reference_trainer/kernels/vector/isa.h"

namespace lockstep::kernels::LOCKSTEP_ISA {
namespace {

typedef float Vector __attribute__((vector_size(32), aligned(4), may_alias));

inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

inline Vector load(const float* at) { return *reinterpret_cast<const Vector*>(at); }
inline void store(float* at, Vector v) { *reinterpret_cast<Vector*>(at) = v; }
inline Vector rectified(Vector v) { return v > 0 ? v : Vector{}; }

/// One tile: R rows of c by a panel's 16 columns. 12 sums, 2 vectors of b and a broadcast fill the 16 registers.
template <int R>
void tile(const PackedGemm& g, const float* a, const float* b, float* c, int64_t ldc, const float* bias) {
  Vector sum[R][2] = {};
  const float* row[R];
  for (int i = 0; i < R; ++i) row[i] = a + i * g.a.row;
  const int64_t step = g.a.column;
  for (int64_t l = 0, at = 0; l < g.k; ++l, at += step) {
    const Vector b0 = load(b + l * kPanel), b1 = load(b + l * kPanel + 8);
#pragma GCC unroll 6
    for (int i = 0; i < R; ++i) {
      const float x = row[i][at];
      sum[i][0] += b0 * x;
      sum[i][1] += b1 * x;
    }
  }
#pragma GCC unroll 6
  for (int i = 0; i < R; ++i) {
    float* to = c + i * ldc;
    Vector y0 = sum[i][0], y1 = sum[i][1];
    if (g.accumulate) y0 += load(to), y1 += load(to + 8);
    if (bias) y0 += load(bias), y1 += load(bias + 8);
    if (g.finish == Finish::relu) y0 = rectified(y0), y1 = rectified(y1);
    store(to, y0);
    store(to + 8, y1);
  }
}

using Tile = void (*)(const PackedGemm&, const float*, const float*, float*, int64_t, const float*);
constexpr Tile kTiles[] = {nullptr, tile<1>, tile<2>, tile<3>, tile<4>, tile<5>, tile<6>};

/// The last panel of a matrix whose width is not a multiple of 16: through a full tile of its own.
void edge_tile(const PackedGemm& g, int64_t rows, const float* a, const float* b, float* c, int64_t columns,
               const float* bias) {
  float full[kTileM * kPanel] = {}, full_bias[kPanel] = {};
  if (g.accumulate) {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) full[i * kPanel + j] = c[i * g.ldc + j];
    }
  }
  if (bias) {
    for (int64_t j = 0; j < columns; ++j) full_bias[j] = bias[j];
  }
  kTiles[rows](g, a, b, full, kPanel, bias ? full_bias : nullptr);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) c[i * g.ldc + j] = full[i * kPanel + j];
  }
}

/// Rows of the next tile: never a single row left over after a tile of 6 (7 = 4 + 3, not 6 + 1).
inline int64_t tile_rows(int64_t left) {
  if (left <= kTileM) return left;
  return left < 2 * kTileM && left > kTileM ? (left + 1) / 2 : kTileM;
}

void packed(const PackedGemm& g) {
  for (int64_t j = 0, panel = 0; j < g.n; j += kPanel, ++panel) {
    const float* b = g.packed + panel * g.panel_stride;
    const float* bias = g.bias ? g.bias + j : nullptr;
    const int64_t columns = smaller(kPanel, g.n - j);
    for (int64_t i = 0, rows = 0; i < g.m; i += rows) {
      rows = tile_rows(g.m - i);
      const float* a = g.a.data + i * g.a.row;
      float* c = g.c + i * g.ldc + j;
      if (columns == kPanel) {
        kTiles[rows](g, a, b, c, g.ldc, bias);
      } else {
        edge_tile(g, rows, a, b, c, columns, bias);
      }
    }
  }
}

typedef int Index8 __attribute__((vector_size(32)));

/// Eight rows of eight, transposed.
inline void transpose8(const float* from, int64_t stride, float* to, int64_t to_stride) {
  Vector r[8], t[8];
  for (int i = 0; i < 8; ++i) r[i] = load(from + i * stride);
  for (int i = 0; i < 4; ++i) {
    t[2 * i] = __builtin_shuffle(r[2 * i], r[2 * i + 1], Index8{0, 8, 1, 9, 4, 12, 5, 13});
    t[2 * i + 1] = __builtin_shuffle(r[2 * i], r[2 * i + 1], Index8{2, 10, 3, 11, 6, 14, 7, 15});
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const Vector low = t[4 * i + j], high = t[4 * i + 2 + j];
      r[4 * i + 2 * j] = __builtin_shuffle(low, high, Index8{0, 1, 8, 9, 4, 5, 12, 13});
      r[4 * i + 2 * j + 1] = __builtin_shuffle(low, high, Index8{2, 3, 10, 11, 6, 7, 14, 15});
    }
  }
  for (int i = 0; i < 4; ++i) {
    store(to + i * to_stride, __builtin_shuffle(r[i], r[4 + i], Index8{0, 1, 2, 3, 8, 9, 10, 11}));
    store(to + (4 + i) * to_stride, __builtin_shuffle(r[i], r[4 + i], Index8{4, 5, 6, 7, 12, 13, 14, 15}));
  }
}

void pack_panel_any(MatrixView b, int64_t k, int64_t columns, float* to) {
  for (int64_t l = 0; l < k; ++l) {
    for (int64_t j = 0; j < kPanel; ++j) to[l * kPanel + j] = j < columns ? *b.at(l, j) : 0.0f;
  }
}

/// From a matrix whose columns are contiguous (a transposed one).
void pack_panel_transposed(MatrixView b, int64_t k, float* to) {
  int64_t l = 0;
  for (; l + 8 <= k; l += 8) {
    transpose8(b.at(l, 0), b.column, to + l * kPanel, kPanel);
    transpose8(b.at(l, 8), b.column, to + l * kPanel + 8, kPanel);
  }
  for (; l < k; ++l) {
    for (int64_t j = 0; j < kPanel; ++j) to[l * kPanel + j] = *b.at(l, j);
  }
}

/// Panels of a row-major matrix: a few rows at a time through all panels, so that rows a power of two apart do not
/// push each other out of the cache.
void pack_rows(MatrixView b, int64_t k, int64_t full_panels, float* to) {
  constexpr int64_t kRows = 4;
  for (int64_t l0 = 0; l0 < k; l0 += kRows) {
    const int64_t l1 = smaller(l0 + kRows, k);
    for (int64_t p = 0; p < full_panels; ++p) {
      for (int64_t l = l0; l < l1; ++l) {
        const float* from = b.data + l * b.row + p * kPanel;
        float* at = to + (p * k + l) * kPanel;
        store(at, load(from));
        store(at + 8, load(from + 8));
      }
    }
  }
}

void pack(MatrixView b, int64_t k, int64_t n, float* to) {
  const int64_t full = n / kPanel;
  if (b.column == 1) {
    pack_rows(b, k, full, to);
  } else {
    for (int64_t p = 0; p < full; ++p) {
      const MatrixView panel{b.at(0, p * kPanel), b.row, b.column};
      if (b.row == 1) {
        pack_panel_transposed(panel, k, to + p * k * kPanel);
      } else {
        pack_panel_any(panel, k, kPanel, to + p * k * kPanel);
      }
    }
  }
  if (n % kPanel) {
    pack_panel_any({b.at(0, full * kPanel), b.row, b.column}, k, n % kPanel, to + full * k * kPanel);
  }
}

/// The left operand in strips of 6 rows, each [k][6], for a matrix whose columns are contiguous. Whole vectors are
/// stored: their two extra numbers are overwritten by the next row of the strip, or lie in the slack at the end.
void pack_left(MatrixView a, int64_t m, int64_t k, float* to) {
  constexpr int64_t kRows = 4;
  const int64_t full = (m >= 8) ? (m - 8) / kTileM + 1 : 0;  // strips whose vectors of 8 stay inside the matrix
  for (int64_t l0 = 0; l0 < k; l0 += kRows) {
    const int64_t l1 = smaller(l0 + kRows, k);
    for (int64_t s = 0; s * kTileM < m; ++s) {
      const int64_t rows = smaller(kTileM, m - s * kTileM);
      for (int64_t l = l0; l < l1; ++l) {
        const float* from = a.data + l * a.column + s * kTileM;
        float* at = to + (s * k + l) * kTileM;
        if (s < full && l + 1 < l1) {
          store(at, load(from));
        } else {
          for (int64_t i = 0; i < rows; ++i) at[i] = from[i];
        }
      }
    }
  }
}

struct Block {
  int64_t m0, m, n0, n, k0, k;
};

/// c[block] from a packed b; the first pass over k starts the sums, the last one finishes them.
void block_product(const Gemm& g, const Block& z, const float* b, float* left) {
  const bool last = z.k0 + z.k == g.k;
  PackedGemm p{.m = z.m,
               .n = z.n,
               .k = z.k,
               .packed = b,
               .panel_stride = z.k * kPanel,
               .c = g.c + z.m0 * g.ldc + z.n0,
               .ldc = g.ldc,
               .bias = last && g.bias ? g.bias + z.n0 : nullptr,
               .finish = last ? g.finish : Finish::none,
               .accumulate = g.accumulate || z.k0 > 0};
  const MatrixView a{g.a.at(z.m0, z.k0), g.a.row, g.a.column};
  if (a.column == 1 || a.row != 1) {
    p.a = a;
    packed(p);
    return;
  }
  pack_left(a, z.m, z.k, left);
  for (int64_t j = 0; j < z.n; j += kPanel) {  // strips inside, so that the panel stays in the first cache
    PackedGemm tile = p;
    tile.n = smaller(kPanel, z.n - j);
    tile.packed = b + j * z.k;
    tile.bias = p.bias ? p.bias + j : nullptr;
    for (int64_t i = 0; i < z.m; i += kTileM) {
      tile.m = smaller(kTileM, z.m - i);
      tile.a = {left + i * z.k, 1, kTileM};
      tile.c = p.c + i * g.ldc + j;
      packed(tile);
    }
  }
}

/// The smallest number of equal parts, each at most `most`, rounded up to a multiple of `unit`.
inline int64_t part_of(int64_t size, int64_t most, int64_t unit) {
  const int64_t parts = (size + most - 1) / most;
  return ((size + parts - 1) / parts + unit - 1) / unit * unit;
}

void gemm(const Gemm& g, float* scratch) {
  if (g.m == 0 || g.n == 0) return;
  const int64_t kn = part_of(g.n, kBlockN, kPanel), kk = part_of(g.k, kBlockK, 8), km = part_of(g.m, kBlockM, kTileM);
  float* left = scratch + kBlockK * kBlockN;
  for (int64_t n0 = 0; n0 < g.n; n0 += kn) {
    for (int64_t k0 = 0; k0 < g.k; k0 += kk) {
      Block z{.n0 = n0, .n = smaller(kn, g.n - n0), .k0 = k0, .k = smaller(kk, g.k - k0)};
      pack({g.b.at(k0, n0), g.b.row, g.b.column}, z.k, z.n, scratch);
      for (z.m0 = 0; z.m0 < g.m; z.m0 += km) {
        z.m = smaller(km, g.m - z.m0);
        block_product(g, z, scratch, left);
      }
    }
  }
}

}  // namespace

GemmCode gemm_code() { return {gemm, packed, pack}; }

}  // namespace lockstep::kernels::LOCKSTEP_ISA
