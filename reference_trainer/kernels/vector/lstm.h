#pragma once

#include <cstdint>

namespace lockstep::kernels {

/// The elementwise part of one LSTM cell (one sample, one time step), gates i, f, g, o of `hidden` numbers each.
struct LstmCode {
  /// gates = functions(xw + recurrent), cell = f cell_before + i g, h = o tanh(cell); also into compact_h.
  /// `recurrent` and `cell_before` are null at the first step.
  void (*cell)(const float* xw, const float* recurrent, const float* cell_before, float* gates, float* cell, float* h,
               float* compact_h, int64_t hidden);
  /// dh and recurrent_dh (null at the last step) add up; dc goes in and out. dxw is written, also to compact_dxw.
  void (*cell_grad)(const float* gates, const float* cell, const float* cell_before, const float* dh,
                    const float* recurrent_dh, float* dc, float* dxw, float* compact_dxw, int64_t hidden);
};

}  // namespace lockstep::kernels
