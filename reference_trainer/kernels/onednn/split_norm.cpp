// Batch norm whose groups lie on several ranks: see graph/ops/split_norm.cpp. The math is the oracle's
// (naive/split_norm.h), sums in double.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference_trainer/kernels/onednn/norm_groups.h"
#include "reference_trainer/kernels/onednn/ops.h"

namespace lockstep::kernels::onednn {
namespace {

/// Three sums of a group and channel: how many numbers, and two over them.
void put_sums(float* sums, int64_t count, double first, double second) {
  sums[0] = static_cast<float>(count), sums[1] = static_cast<float>(first), sums[2] = static_cast<float>(second);
}

}  // namespace

void batch_norm_sums(Compiler& c, const graph::Op& op) {
  const NormGroups z(c.operand(op.in[0]), op.attr);
  const Slot x = c.in(op.in[0]), shift = c.in(op.in[1]), sums = c.out(op.out[0]);
  c.add([=, threads = c.threads(), code = c.code().rows](const StepContext& context) {
    z.for_each(threads, context.padding, [&](int64_t channel, int64_t g, int64_t begin, int64_t real, int64_t) {
      const float by = shift.real()[channel];
      double sum = 0, squares = 0;
      for (int64_t n = begin; n < real; ++n) {
        sum += code.sum(x.real() + z.offset(n, channel), z.plane);
        squares += code.centered(x.real() + z.offset(n, channel), nullptr, by, z.plane);
      }
      const int64_t count = (real - begin) * z.plane;
      put_sums(sums.real() + 3 * z.statistic(g, channel), count, sum - double(by) * static_cast<double>(count),
               squares);
    });
  });
}

void batch_norm_total(Compiler& c, const graph::Op& op) {
  const NormGroups z(c.operand(op.in[0]), op.attr);
  const NormResults results(c, op);
  const Slot sums = c.in(op.in[5]), shifts = c.scratch(z.channels * int64_t{sizeof(float)});
  c.add([=, threads = c.threads(), code = c.code().rows](const StepContext& context) {
    std::memcpy(shifts.get(), results.running_mean.get(), static_cast<size_t>(z.channels) * sizeof(float));
    z.for_each(threads, context.padding, [&](int64_t channel, int64_t g, int64_t begin, int64_t, int64_t end) {
      float mean = results.running_mean.real()[channel], variance = results.running_var.real()[channel];
      if (context.training) {
        const float* of_group = sums.real() + 3 * z.statistic(g, channel);
        const double count = of_group[0], off = of_group[1] / count;
        const double squares = std::max(0.0, of_group[2] - count * off * off);
        mean = static_cast<float>(shifts.real()[channel] + off);
        variance = static_cast<float>(squares / count);
        results.follow(channel, mean, squares, count);
      }
      results.normalize(z, code, channel, g, begin, end, mean, variance);
    });
  });
}

void batch_norm_grad_sums(Compiler& c, const graph::Op& op) {
  const NormGroups z(c.operand(op.in[0]), op.attr);
  const Slot x = c.in(op.in[0]), dy = c.in(op.in[1]), mean = c.in(op.in[2]), rstd = c.in(op.in[3]);
  const Slot sums = c.out(op.out[0]), dgamma = c.out(op.out[1]), dbeta = c.out(op.out[2]);
  c.add([=, threads = c.threads(), code = c.code().rows](const StepContext& context) {
    z.for_each(threads, context.padding, [&](int64_t channel, int64_t g, int64_t begin, int64_t real, int64_t) {
      const int64_t statistic = z.statistic(g, channel);
      double sum = 0, dot = 0;
      for (int64_t n = begin; n < real; ++n) {
        const int64_t at = z.offset(n, channel);
        sum += code.sum(dy.real() + at, z.plane);
        dot += code.centered(x.real() + at, dy.real() + at, mean.real()[statistic], z.plane) *
               double(rstd.real()[statistic]);
      }
      float &dg = dgamma.real()[channel], &db = dbeta.real()[channel];
      dg = (g == 0 ? 0 : dg) + static_cast<float>(dot);
      db = (g == 0 ? 0 : db) + static_cast<float>(sum);
      put_sums(sums.real() + 3 * statistic, (real - begin) * z.plane, sum, dot);
    });
  });
}

void batch_norm_grad_total(Compiler& c, const graph::Op& op) {
  const NormGroups z(c.operand(op.in[0]), op.attr);
  const Slot x = c.in(op.in[0]), dy = c.in(op.in[1]), gamma = c.in(op.in[2]);
  const Slot saved_mean = c.in(op.in[3]), saved_rstd = c.in(op.in[4]), sums = c.in(op.in[5]);
  const Slot dx = c.out(op.out[0]);
  c.add([=, threads = c.threads(), code = c.code().rows](const StepContext& context) {
    z.for_each(threads, context.padding, [&](int64_t channel, int64_t g, int64_t begin, int64_t real, int64_t end) {
      const int64_t statistic = z.statistic(g, channel);
      const float mean = saved_mean.real()[statistic], rstd = saved_rstd.real()[statistic];
      const float* of_group = sums.real() + 3 * statistic;
      const double sum = of_group[1] / of_group[0], dot = of_group[2] / of_group[0];
      const float a = gamma.real()[channel] * rstd, b = static_cast<float>(-double(a) * rstd * dot);
      const float shift = static_cast<float>(-double(a) * sum - double(b) * mean);
      for (int64_t n = begin; n < real; ++n) {
        const int64_t at = z.offset(n, channel);
        code.combine(dx.real() + at, dy.real() + at, x.real() + at, a, b, shift, z.plane);
      }
      for (int64_t n = real; n < end; ++n) std::fill_n(dx.real() + z.offset(n, channel), z.plane, 0.0f);
    });
  });
}

}  // namespace lockstep::kernels::onednn
