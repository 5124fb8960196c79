#pragma once

#include <algorithm>
#include <cstdint>

#include "reference_trainer/graph/graph.h"
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

}  // namespace lockstep::kernels::onednn
