#include <cmath>

#include "reference_trainer/kernels/onednn/ops.h"
#include "reference_trainer/kernels/onednn/parallel.h"

namespace lockstep::kernels::onednn {

namespace {

/// Rows of labels, and how many of them count: those of padding come last.
struct LossRows {
  int64_t rows, samples, whole;  ///< here; of which samples; of a whole sample

  int64_t counted(const StepContext& context) const { return rows / samples * (samples - context.padding); }
};

LossRows loss_rows(const Operand& labels) {
  return {labels.count, batch_of(labels), graph::whole_count(*labels.tensor)};
}

/// The auxiliary loss of the op's operand 2, if it has one: a sample's counts once for each of its positions.
std::function<double(const StepContext&)> penalty_of(Compiler& c, const graph::Op& op, const LossRows& z) {
  if (op.in.size() < 3) return [](const StepContext&) { return 0.0; };
  return [z, penalty = c.in(op.in[2])](const StepContext& context) {
    double sum = 0;
    for (int64_t i = 0; i < z.samples - context.padding && context.training; ++i) sum += double(penalty.real()[i]);
    return sum * static_cast<double>(z.whole);
  };
}

}  // namespace

void softmax_cross_entropy(Compiler& c, const graph::Op& op) {
  const int64_t classes = width_of(c.operand(op.in[0]));
  const LossRows z = loss_rows(c.operand(op.in[1]));
  const Slot x = c.in(op.in[0]), labels = c.in(op.in[1]);
  const Slot loss = c.out(op.out[0]), correct = c.out(op.out[1]), lse = c.out(op.out[2]);
  const int threads = c.threads();
  const Slot partial = c.scratch(threads * 2 * int64_t{sizeof(double)});
  c.add([=, penalty = penalty_of(c, op, z), code = c.code().rows](const StepContext& context) {
    auto* sums = static_cast<double*>(partial.get());
    std::fill_n(sums, 2 * threads, 0.0);
    parallel_for(threads, z.counted(context), 1, [&](int64_t begin, int64_t end, int part) {
      code.cross_entropy(x.real() + begin * classes, labels.index() + begin, lse.real() + begin, end - begin, classes,
                         sums + 2 * part, sums + 2 * part + 1);
    });
    for (int part = 1; part < threads; ++part) sums[0] += sums[2 * part], sums[1] += sums[2 * part + 1];
    *loss.real() = static_cast<float>((sums[0] + penalty(context)) * context.loss_scale);
    *correct.real() = static_cast<float>(sums[1]);
  });
}

void softmax_cross_entropy_grad(Compiler& c, const graph::Op& op) {
  const Operand shape = c.operand(op.in[0]);
  const int64_t classes = width_of(shape), rows = shape.count / classes;
  const Slot x = c.in(op.in[0]), labels = c.in(op.in[1]), lse = c.in(op.in[2]);
  const Slot dx = c.out_over(op.out[0], op.in[0], c.plain(op.in[0]));
  const int64_t first = rows_of_part(shape, shape.dims.size() - 1).first;
  const LossRows z = loss_rows(c.operand(op.in[1]));
  c.add([=, threads = c.threads(), code = c.code().rows](const StepContext& context) {
    const int64_t counted = z.counted(context);
    std::fill_n(dx.real() + counted * classes, (rows - counted) * classes, 0.0f);
    parallel_for(threads, counted, 1, [&](int64_t begin, int64_t end, int) {
      code.cross_entropy_grad(x.real() + begin * classes, labels.index() + begin, lse.real() + begin,
                              dx.real() + begin * classes, end - begin, first, classes,
                              static_cast<float>(context.loss_scale));
    });
  });
  if (op.out.size() < 2) return;
  c.add([z, dpenalty = c.out(op.out[1])](const StepContext& context) {
    std::fill_n(dpenalty.real(), z.samples, 0.0f);
    std::fill_n(dpenalty.real(), z.samples - context.padding,
                static_cast<float>(context.loss_scale * static_cast<double>(z.whole)));
  });
}

void cross_entropy_max(Compiler& c, const graph::Op& op) {
  const int64_t classes = width_of(c.operand(op.in[0])), rows = c.operand(op.out[0]).count;
  const Slot x = c.in(op.in[0]), top = c.out(op.out[0]);
  c.add([=, threads = c.threads(), code = c.code().rows](const StepContext&) {
    parallel_for(threads, rows, 1, [&](int64_t begin, int64_t end, int) {
      code.row_max(x.real() + begin * classes, top.real() + begin, end - begin, classes);
    });
  });
}

void cross_entropy_sums(Compiler& c, const graph::Op& op) {
  const Operand shape = c.operand(op.in[0]);
  const int64_t classes = width_of(shape), rows = c.operand(op.in[1]).count;
  const int64_t first = rows_of_part(shape, shape.dims.size() - 1).first;
  const Slot x = c.in(op.in[0]), labels = c.in(op.in[1]), top = c.in(op.in[2]), sums = c.out(op.out[0]);
  c.add([=, threads = c.threads(), code = c.code().rows](const StepContext&) {
    parallel_for(threads, rows, 1, [&](int64_t begin, int64_t end, int) {
      code.cross_entropy_sums(x.real() + begin * classes, labels.index() + begin, top.real() + begin,
                              sums.real() + 3 * begin, end - begin, first, classes);
    });
  });
}

void cross_entropy_total(Compiler& c, const graph::Op& op) {
  const LossRows z = loss_rows(c.operand(op.in[0]));
  const Slot top = c.in(op.in[0]), sums = c.in(op.in[1]);
  const Slot loss = c.out(op.out[0]), correct = c.out(op.out[1]), lse = c.out(op.out[2]);
  c.add([=, penalty = penalty_of(c, op, z)](const StepContext& context) {
    double losses = penalty(context), right = 0;
    for (int64_t row = 0; row < z.rows; ++row) {
      const float* of_row = sums.real() + 3 * row;
      lse.real()[row] = top.real()[row] + std::log(of_row[0]);
      if (row >= z.counted(context)) continue;
      losses += static_cast<double>(lse.real()[row] - of_row[1]);
      right += of_row[1] == top.real()[row] && of_row[2] == 0 ? 1 : 0;
    }
    *loss.real() = static_cast<float>(losses * context.loss_scale);
    *correct.real() = static_cast<float>(right);
  });
}

}  // namespace lockstep::kernels::onednn
