#include <cstring>

#include "reference_trainer/kernels/onednn/ops.h"
#include "reference_trainer/kernels/onednn/parallel.h"

namespace lockstep::kernels::onednn {

void embedding(Compiler& c, const graph::Op& op) {
  const int64_t width = width_of(c.operand(op.in[1])), count = c.operand(op.in[0]).count;
  const Rows rows = rows_of_part(c.operand(op.in[1]), 0);
  const Slot ids = c.in(op.in[0]), table = c.in(op.in[1]), y = c.out(op.out[0]);
  c.add([=, threads = c.threads()](const StepContext&) {
    parallel_for(threads, count, 16, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t row = rows.local(ids.index()[i]);
        const auto bytes = static_cast<size_t>(width) * sizeof(float);
        if (row < 0) {
          std::memset(y.real() + i * width, 0, bytes);
        } else {
          std::memcpy(y.real() + i * width, table.real() + row * width, bytes);
        }
      }
    });
  });
}

/// In one thread: rows of the table meet in any order, and the sums stay the same for every number of threads.
void embedding_grad(Compiler& c, const graph::Op& op) {
  const Operand table = c.operand(op.out[0]);
  const int64_t width = width_of(table), count = c.operand(op.in[0]).count;
  const Rows rows = rows_of_part(table, 0);
  const Slot ids = c.in(op.in[0]), dy = c.in(op.in[1]), dtable = c.out(op.out[0]);
  c.add([=, numbers = table.count, code = c.code().update32](const StepContext&) {
    std::memset(dtable.real(), 0, static_cast<size_t>(numbers) * sizeof(float));
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = rows.local(ids.index()[i]);
      if (row >= 0) code.accumulate(dtable.real() + row * width, dy.real() + i * width, width);
    }
  });
}

void positions(Compiler& c, const graph::Op& op) {
  const int64_t each = c.operand(op.in[1]).count, samples = c.operand(op.in[0]).count / each;
  const Slot x = c.in(op.in[0]), table = c.in(op.in[1]), y = c.out_over(op.out[0], op.in[0], c.plain(op.in[0]));
  c.add([=, threads = c.threads(), code = c.code().pointwise](const StepContext&) {
    parallel_for(threads, samples, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t n = begin; n < end; ++n) {
        code.add(y.real() + n * each, x.real() + n * each, table.real(), each);
      }
    });
  });
}

void positions_grad(Compiler& c, const graph::Op& op) {
  const int64_t each = c.operand(op.out[0]).count, samples = c.operand(op.in[0]).count / each;
  const Slot dy = c.in(op.in[0]), dtable = c.out(op.out[0]);
  c.add([=, threads = c.threads(), code = c.code().rows](const StepContext&) {
    parallel_for(threads, each, 64, [&](int64_t begin, int64_t end, int) {
      std::memset(dtable.real() + begin, 0, static_cast<size_t>(end - begin) * sizeof(float));
      code.column_sums(dy.real() + begin, samples, end - begin, each, dtable.real() + begin);
    });
  });
}

}  // namespace lockstep::kernels::onednn
