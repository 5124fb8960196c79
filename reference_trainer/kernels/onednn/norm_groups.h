#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "reference_trainer/graph/graph.h"
#include "reference_trainer/kernels/onednn/compiler.h"
#include "reference_trainer/kernels/onednn/parallel.h"
#include "reference_trainer/kernels/operand.h"

namespace lockstep::kernels::onednn {

/// How batch norm sees x: [sample, channel, plane], with statistics of each group of samples and channel.
struct NormGroups {
  int64_t samples, channels, plane, group;

  NormGroups(const Operand& x, const graph::Attributes& attr)
      : samples(x.dims[0]),
        channels(x.dims[1]),
        plane(x.count / (samples * channels)),
        group(attr.norm_group > 0 ? attr.norm_group : samples) {}

  /// Calls visit(channel, group's index, first sample, last + 1 that counts, last + 1), the channels in parallel, the
  /// groups in order. The last `padding` samples count for nothing.
  template <class Visit>
  void for_each(int threads, int64_t padding, const Visit& visit) const {
    const int64_t real = samples - padding;
    parallel_for(threads, channels, 1, [&](int64_t first, int64_t last, int) {
      for (int64_t c = first; c < last; ++c) {
        for (int64_t begin = 0, g = 0; begin < samples; begin += group, ++g) {
          const int64_t end = std::min(begin + group, samples);
          visit(c, g, begin, std::clamp(real, begin, end), end);
        }
      }
    });
  }
  int64_t offset(int64_t sample, int64_t channel) const { return (sample * channels + channel) * plane; }
  int64_t statistic(int64_t g, int64_t channel) const { return g * channels + channel; }
};

/// The operands that batch_norm and batch_norm_total have in common, and what both do once a group's statistics are
/// known.
struct NormResults {
  Slot x, gamma, beta, running_mean, running_var, y, saved_mean, saved_rstd;
  float epsilon, take;

  NormResults(Compiler& c, const graph::Op& op)
      : x(c.in(op.in[0])),
        gamma(c.in(op.in[1])),
        beta(c.in(op.in[2])),
        running_mean(c.in(op.in[3])),
        running_var(c.in(op.in[4])),
        y(c.out(op.out[0])),
        saved_mean(c.out(op.out[1])),
        saved_rstd(c.out(op.out[2])),
        epsilon(static_cast<float>(op.attr.epsilon)),
        take(static_cast<float>(op.attr.momentum)) {}

  /// Brings the running statistics nearer to a group's: its mean, and the squares of `count` numbers less the mean.
  void follow(int64_t channel, float mean, double squares, double count) const {
    float &seen_mean = running_mean.real()[channel], &seen_var = running_var.real()[channel];
    seen_mean += take * (mean - seen_mean);
    seen_var += take * (static_cast<float>(squares / std::max(1.0, count - 1)) - seen_var);
  }

  /// Normalizes samples [begin, end), those of group g, and saves the statistics for backward.
  void normalize(const NormGroups& z, const RowsCode& code, int64_t channel, int64_t g, int64_t begin, int64_t end,
                 float mean, float variance) const {
    const float rstd = 1 / std::sqrt(variance + epsilon), scale = gamma.real()[channel] * rstd;
    saved_mean.real()[z.statistic(g, channel)] = mean;
    saved_rstd.real()[z.statistic(g, channel)] = rstd;
    for (int64_t n = begin; n < end; ++n) {
      const int64_t at = z.offset(n, channel);
      code.affine(y.real() + at, x.real() + at, scale, beta.real()[channel] - mean * scale, z.plane);
    }
  }
};

}  // namespace lockstep::kernels::onednn
