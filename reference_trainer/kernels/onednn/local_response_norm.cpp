#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference_trainer/kernels/onednn/ops.h"
#include "reference_trainer/kernels/onednn/parallel.h"

namespace lockstep::kernels::onednn {
namespace {

/// [sample, channel, plane] and the norm's constants.
struct ResponseNorm {
  int64_t samples, channels, plane, reach;
  float alpha, exponent, offset;

  ResponseNorm(const Operand& x, const graph::Attributes& a)
      : samples(x.dims[0]),
        channels(x.dims[1]),
        plane(x.dims[2] * x.dims[3]),
        reach(a.window / 2),
        alpha(static_cast<float>(a.alpha)),
        exponent(static_cast<float>(a.exponent)),
        offset(static_cast<float>(a.offset)) {}

  int64_t sample() const { return channels * plane; }

  /// sum[i] = the sum of terms[i] over the channels near `channel`; both lie as one sample does.
  void add_neighbours(const float* terms, int64_t channel, float* sum) const {
    std::memset(sum, 0, static_cast<size_t>(plane) * sizeof(float));
    for (int64_t c = std::max<int64_t>(0, channel - reach); c <= std::min(channels - 1, channel + reach); ++c) {
      const float* term = terms + c * plane;
      for (int64_t i = 0; i < plane; ++i) sum[i] += term[i];
    }
  }

  /// scale^-exponent; the paper's exponent, 3/4, by two square roots.
  float shrink(float scale) const {
    if (exponent == 0.75F) return 1.0F / (std::sqrt(scale) * std::sqrt(std::sqrt(scale)));
    return std::pow(scale, -exponent);
  }
};

}  // namespace

void local_response_norm(Compiler& c, const graph::Op& op) {
  const ResponseNorm z(c.operand(op.in[0]), op.attr);
  const Slot xs = c.in(op.in[0]), ys = c.out(op.out[0]), scales = c.out(op.out[1]);
  c.add([=, threads = c.threads()](const StepContext&) {
    parallel_for(threads, z.samples, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t n = begin; n < end; ++n) {
        const float* x = xs.real() + n * z.sample();
        float *y = ys.real() + n * z.sample(), *scale = scales.real() + n * z.sample();
        for (int64_t i = 0; i < z.sample(); ++i) y[i] = x[i] * x[i];  // y holds the squares until it is written
        for (int64_t channel = 0; channel < z.channels; ++channel)
          z.add_neighbours(y, channel, scale + channel * z.plane);
        for (int64_t i = 0; i < z.sample(); ++i) {
          scale[i] = z.offset + z.alpha * scale[i];
          y[i] = x[i] * z.shrink(scale[i]);
        }
      }
    });
  });
}

void local_response_norm_grad(Compiler& c, const graph::Op& op) {
  const ResponseNorm z(c.operand(op.in[0]), op.attr);
  const Slot xs = c.in(op.in[0]), dys = c.in(op.in[1]), scales = c.in(op.in[2]), dxs = c.out(op.out[0]);
  const Slot scratch = c.scratch(c.threads() * z.sample() * int64_t{sizeof(float)});
  c.add([=, threads = c.threads()](const StepContext&) {
    parallel_for(threads, z.samples, 1, [&](int64_t begin, int64_t end, int part) {
      float* terms = scratch.real() + part * z.sample();
      for (int64_t n = begin; n < end; ++n) {
        const int64_t at = n * z.sample();
        const float *x = xs.real() + at, *dy = dys.real() + at, *scale = scales.real() + at;
        float* dx = dxs.real() + at;
        for (int64_t i = 0; i < z.sample(); ++i) terms[i] = dy[i] * x[i] * z.shrink(scale[i]) / scale[i];
        for (int64_t channel = 0; channel < z.channels; ++channel)
          z.add_neighbours(terms, channel, dx + channel * z.plane);
        const float factor = 2 * z.alpha * z.exponent;
        for (int64_t i = 0; i < z.sample(); ++i) dx[i] = dy[i] * z.shrink(scale[i]) - factor * x[i] * dx[i];
      }
    });
  });
}

}  // namespace lockstep::kernels::onednn
