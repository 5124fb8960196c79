#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference_trainer/kernels/onednn/norm_groups.h"
#include "reference_trainer/kernels/onednn/ops.h"
#include "reference_trainer/kernels/onednn/parallel.h"

namespace lockstep::kernels::onednn {

void layer_norm(Compiler& c, const graph::Op& op) {
  const Operand shape = c.operand(op.in[0]);
  const int64_t width = width_of(shape), rows = shape.count / width;
  const Slot x = c.in(op.in[0]), gamma = c.in(op.in[1]), beta = c.in(op.in[2]);
  const Slot y = c.out(op.out[0]), mean = c.out(op.out[1]), rstd = c.out(op.out[2]);
  c.add([=, epsilon = static_cast<float>(op.attr.epsilon), threads = c.threads(),
         code = c.code().rows](const StepContext&) {
    parallel_for(threads, rows, 1, [&](int64_t begin, int64_t end, int) {
      code.layer_norm(x.real() + begin * width, gamma.real(), beta.real(), y.real() + begin * width,
                      mean.real() + begin, rstd.real() + begin, end - begin, width, epsilon);
    });
  });
}

/// Sums down the columns: a pair of rows of partial sums a thread, added in order.
void layer_norm_grad(Compiler& c, const graph::Op& op) {
  const Operand shape = c.operand(op.in[0]);
  const int64_t width = width_of(shape), rows = shape.count / width;
  const Slot x = c.in(op.in[0]), dy = c.in(op.in[1]), gamma = c.in(op.in[2]), mean = c.in(op.in[3]);
  const Slot rstd = c.in(op.in[4]), dgamma = c.out(op.out[1]), dbeta = c.out(op.out[2]);
  const Slot dx = c.out_over(op.out[0], op.in[1], c.plain(op.in[1]));
  const int threads = c.threads();
  const Slot partial = c.scratch(threads * 2 * width * int64_t{sizeof(float)});
  c.add([=, code = c.code()](const StepContext&) {
    float* sums = partial.real();
    std::memset(sums, 0, static_cast<size_t>(threads * 2 * width) * sizeof(float));
    parallel_for(threads, rows, 1, [&](int64_t begin, int64_t end, int part) {
      const int64_t at = begin * width;
      float* mine = sums + part * 2 * width;
      code.rows.layer_norm_grad(x.real() + at, dy.real() + at, gamma.real(), mean.real() + begin, rstd.real() + begin,
                                dx.real() + at, mine, mine + width, end - begin, width);
    });
    std::memcpy(dgamma.real(), sums, static_cast<size_t>(width) * sizeof(float));
    std::memcpy(dbeta.real(), sums + width, static_cast<size_t>(width) * sizeof(float));
    for (int part = 1; part < threads; ++part) {
      code.update32.accumulate(dgamma.real(), sums + part * 2 * width, width);
      code.update32.accumulate(dbeta.real(), sums + part * 2 * width + width, width);
    }
  });
}

void batch_norm(Compiler& c, const graph::Op& op) {
  const NormGroups z(c.operand(op.in[0]), op.attr);
  const NormResults results(c, op);
  c.add([=, threads = c.threads(), code = c.code().rows](const StepContext& context) {
    z.for_each(threads, 0, [&](int64_t channel, int64_t g, int64_t begin, int64_t, int64_t end) {
      float mean = results.running_mean.real()[channel], variance = results.running_var.real()[channel];
      if (context.training) {
        const float* x = results.x.real();
        const auto count = static_cast<double>((end - begin) * z.plane);
        double sum = 0, squares = 0;
        for (int64_t n = begin; n < end; ++n) sum += code.sum(x + z.offset(n, channel), z.plane);
        mean = static_cast<float>(sum / count);
        for (int64_t n = begin; n < end; ++n)
          squares += code.centered(x + z.offset(n, channel), nullptr, mean, z.plane);
        variance = static_cast<float>(squares / count);
        results.follow(channel, mean, squares, count);
      }
      results.normalize(z, code, channel, g, begin, end, mean, variance);
    });
  });
}

void batch_norm_grad(Compiler& c, const graph::Op& op) {
  const NormGroups z(c.operand(op.in[0]), op.attr);
  const Slot x = c.in(op.in[0]), dy = c.in(op.in[1]), gamma = c.in(op.in[2]);
  const Slot saved_mean = c.in(op.in[3]), saved_rstd = c.in(op.in[4]);
  const Slot dx = c.out(op.out[0]), dgamma = c.out(op.out[1]), dbeta = c.out(op.out[2]);
  c.add([=, threads = c.threads(), code = c.code().rows](const StepContext&) {
    z.for_each(threads, 0, [&](int64_t channel, int64_t g, int64_t begin, int64_t, int64_t end) {
      const float mean = saved_mean.real()[z.statistic(g, channel)];
      const float rstd = saved_rstd.real()[z.statistic(g, channel)];
      double sum = 0, dot = 0;  // of dy, of dy with normalized x
      for (int64_t n = begin; n < end; ++n) {
        const int64_t at = z.offset(n, channel);
        sum += code.sum(dy.real() + at, z.plane);
        dot += code.centered(x.real() + at, dy.real() + at, mean, z.plane) * double(rstd);
      }
      float &dg = dgamma.real()[channel], &db = dbeta.real()[channel];
      dg = (g == 0 ? 0 : dg) + static_cast<float>(dot);
      db = (g == 0 ? 0 : db) + static_cast<float>(sum);
      const auto count = static_cast<double>((end - begin) * z.plane);
      const float a = gamma.real()[channel] * rstd, b = static_cast<float>(-double(a) * rstd * dot / count);
      const float shift = static_cast<float>(-double(a) * sum / count - double(b) * mean);
      for (int64_t n = begin; n < end; ++n) {
        const int64_t at = z.offset(n, channel);
        code.combine(dx.real() + at, dy.real() + at, x.real() + at, a, b, shift, z.plane);
      }
    });
  });
}

}  // namespace lockstep::kernels::onednn
