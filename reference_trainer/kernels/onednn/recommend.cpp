#include <cmath>
#include <cstring>

#include "reference_trainer/kernels/onednn/ops.h"
#include "reference_trainer/kernels/onednn/parallel.h"
#include "reference_trainer/kernels/tables.h"

namespace lockstep::kernels::onednn {

void embedding_bag(Compiler& c, const graph::Op& op) {
  const Operand bags = c.operand(op.in[0]), made = c.operand(op.out[0]);
  const Tables tables(bags, c.operand(op.in[1]));
  const int64_t width = width_of(made);
  const Slot ids = c.in(op.in[0]), rows = c.in(op.in[1]), y = c.out(op.out[0]);
  c.add([=, samples = batch_rows(bags), threads = c.threads(), code = c.code().update32](const StepContext&) {
    parallel_for(threads, samples, 1, [&](int64_t begin, int64_t end, int) {
      const int64_t each = tables.tables * width;
      std::memset(y.real() + begin * each, 0, static_cast<size_t>((end - begin) * each) * sizeof(float));
      for_each_id(tables, ids.index(), begin, end, [&](int64_t bag, int64_t row) {
        code.accumulate(y.real() + bag * width, rows.real() + row * width, width);
      });
    });
  });
}

/// In one thread: rows meet in any order, and the sums stay the same for every number of threads.
void embedding_bag_grad(Compiler& c, const graph::Op& op) {
  const Operand bags = c.operand(op.in[0]), made = c.operand(op.out[0]);
  const Tables tables(bags, made);
  const int64_t width = width_of(made);
  const Slot ids = c.in(op.in[0]), dy = c.in(op.in[1]), drows = c.out(op.out[0]);
  c.add([=, samples = batch_rows(bags), count = made.count, code = c.code().update32](const StepContext&) {
    std::memset(drows.real(), 0, static_cast<size_t>(count) * sizeof(float));
    for_each_id(tables, ids.index(), 0, samples, [&](int64_t bag, int64_t row) {
      code.accumulate(drows.real() + row * width, dy.real() + bag * width, width);
    });
  });
}

void pairwise_dot(Compiler& c, const graph::Op& op) {
  const Operand in = c.operand(op.in[0]);
  const int64_t vectors = in.dims[1], width = in.dims[2], pairs = vectors * (vectors - 1) / 2;
  const Slot x = c.in(op.in[0]), y = c.out(op.out[0]);
  c.add([=, samples = in.dims[0], threads = c.threads(), code = c.code().rows](const StepContext&) {
    parallel_for(threads, samples, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t b = begin; b < end; ++b) {
        const float* rows = x.real() + b * vectors * width;
        float* to = y.real() + b * pairs;
        for (int64_t i = 1; i < vectors; ++i) {
          for (int64_t j = 0; j < i; ++j)
            *to++ = static_cast<float>(code.centered(rows + i * width, rows + j * width, 0, width));
        }
      }
    });
  });
}

void pairwise_dot_grad(Compiler& c, const graph::Op& op) {
  const Operand in = c.operand(op.in[0]);
  const int64_t vectors = in.dims[1], width = in.dims[2], pairs = vectors * (vectors - 1) / 2;
  const Slot x = c.in(op.in[0]), dy = c.in(op.in[1]), dx = c.out(op.out[0]);
  c.add([=, samples = in.dims[0], threads = c.threads(), code = c.code().rows](const StepContext&) {
    parallel_for(threads, samples, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t b = begin; b < end; ++b) {
        const float *rows = x.real() + b * vectors * width, *of_pair = dy.real() + b * pairs;
        float* to = dx.real() + b * vectors * width;
        std::memset(to, 0, static_cast<size_t>(vectors * width) * sizeof(float));
        for (int64_t i = 1; i < vectors; ++i) {
          for (int64_t j = 0; j < i; ++j, ++of_pair) {
            code.combine(to + i * width, to + i * width, rows + j * width, 1, *of_pair, 0, width);
            code.combine(to + j * width, to + j * width, rows + i * width, 1, *of_pair, 0, width);
          }
        }
      }
    });
  });
}

void binary_cross_entropy(Compiler& c, const graph::Op& op) {
  const int64_t samples = c.operand(op.in[0]).count;
  const Slot x = c.in(op.in[0]), labels = c.in(op.in[1]);
  const Slot loss = c.out(op.out[0]), correct = c.out(op.out[1]), probs = c.out(op.out[2]);
  c.add([=](const StepContext& context) {
    double losses = 0, right = 0;
    for (int64_t i = 0; i < samples; ++i) {
      const double logit = double(x.real()[i]);
      const bool label = labels.index()[i] != 0;
      probs.real()[i] = static_cast<float>(1 / (1 + std::exp(-logit)));
      if (i >= samples - context.padding) continue;
      losses += std::max(logit, 0.0) - (label ? logit : 0) + std::log1p(std::exp(-std::abs(logit)));
      right += (logit > 0) == label ? 1 : 0;
    }
    *loss.real() = static_cast<float>(losses * context.loss_scale);
    *correct.real() = static_cast<float>(right);
  });
}

void binary_cross_entropy_grad(Compiler& c, const graph::Op& op) {
  const int64_t samples = c.operand(op.in[0]).count;
  const Slot probs = c.in(op.in[0]), labels = c.in(op.in[1]), dx = c.out(op.out[0]);
  c.add([=](const StepContext& context) {
    const auto scale = static_cast<float>(context.loss_scale);
    for (int64_t i = 0; i < samples; ++i) {
      const float label = labels.index()[i] != 0 ? 1.0f : 0.0f;
      dx.real()[i] = i < samples - context.padding ? (probs.real()[i] - label) * scale : 0.0f;
    }
  });
}

}  // namespace lockstep::kernels::onednn
