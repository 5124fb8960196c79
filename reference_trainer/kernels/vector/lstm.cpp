#include "reference_trainer/kernels/vector/lstm.h"

#include "reference_trainer/kernels/vector/functions.h"

namespace lockstep::kernels::LOCKSTEP_ISA {
namespace {

template <bool first>
void cell_of(const float* xw, const float* recurrent, const float* cell_before, float* gates, float* cell, float* h,
             float* compact_h, int64_t hidden) {
#pragma omp simd
  for (int64_t j = 0; j < hidden; ++j) {
    float z[4];
    for (int gate = 0; gate < 4; ++gate) {
      z[gate] = xw[gate * hidden + j] + (first ? 0.0f : recurrent[gate * hidden + j]);
    }
    const float i = sigmoid_of(z[0]), f = sigmoid_of(z[1]), g = tanh_of(z[2]), o = sigmoid_of(z[3]);
    const float c = i * g + (first ? 0.0f : f * cell_before[j]);
    gates[j] = i;
    gates[hidden + j] = f;
    gates[2 * hidden + j] = g;
    gates[3 * hidden + j] = o;
    cell[j] = c;
    h[j] = compact_h[j] = o * tanh_of(c);
  }
}

void cell(const float* xw, const float* recurrent, const float* cell_before, float* gates, float* cell, float* h,
          float* compact_h, int64_t hidden) {
  const auto run = recurrent == nullptr ? cell_of<true> : cell_of<false>;
  run(xw, recurrent, cell_before, gates, cell, h, compact_h, hidden);
}

template <bool first, bool last>
void cell_grad_of(const float* gates, const float* cell, const float* cell_before, const float* dh,
                  const float* recurrent_dh, float* dc, float* dxw, float* compact_dxw, int64_t hidden) {
#pragma omp simd
  for (int64_t j = 0; j < hidden; ++j) {
    const float i = gates[j], f = gates[hidden + j], g = gates[2 * hidden + j], o = gates[3 * hidden + j];
    const float t = tanh_of(cell[j]);
    const float dh_all = dh[j] + (last ? 0.0f : recurrent_dh[j]);
    const float d = (last ? 0.0f : dc[j]) + dh_all * o * (1.0f - t * t);
    const float di = d * g * i * (1.0f - i), df = first ? 0.0f : d * cell_before[j] * f * (1.0f - f);
    const float dg = d * i * (1.0f - g * g), d_o = dh_all * t * o * (1.0f - o);
    dxw[j] = compact_dxw[j] = di;
    dxw[hidden + j] = compact_dxw[hidden + j] = df;
    dxw[2 * hidden + j] = compact_dxw[2 * hidden + j] = dg;
    dxw[3 * hidden + j] = compact_dxw[3 * hidden + j] = d_o;
    dc[j] = d * f;
  }
}

void cell_grad(const float* gates, const float* cell, const float* cell_before, const float* dh,
               const float* recurrent_dh, float* dc, float* dxw, float* compact_dxw, int64_t hidden) {
  const bool first = cell_before == nullptr, last = recurrent_dh == nullptr;
  const auto run = first ? (last ? cell_grad_of<true, true> : cell_grad_of<true, false>)
                         : (last ? cell_grad_of<false, true> : cell_grad_of<false, false>);
  run(gates, cell, cell_before, dh, recurrent_dh, dc, dxw, compact_dxw, hidden);
}

}  // namespace

LstmCode lstm_code() { return {cell, cell_grad}; }

}  // namespace lockstep::kernels::LOCKSTEP_ISA
