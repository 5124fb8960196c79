#include <algorithm>

#include "reference_trainer/kernels/onednn/ops.h"
#include "reference_trainer/kernels/onednn/parallel.h"

namespace lockstep::kernels::onednn {
namespace {

constexpr int64_t kUnit = 1024;  // numbers that a thread takes at least

/// The same places in memory for numbers of another type.
Format with_type_of(Format format, const Format& type) {
  format.data.data_type = type.data.data_type;
  return format;
}

/// Who is no cast wants the tensor dense, and oneDNN reorders no 16-bit numbers on processors without units for them.
bool only_casts_read(const graph::Graph& graph, graph::TensorId id) {
  return std::ranges::all_of(graph.ops, [&](const graph::Op& op) {
    return op.kind == graph::OpKind::cast || std::ranges::find(op.in, id) == op.in.end();
  });
}

}  // namespace

/// In the format of the operand, whose padding is zero and stays zero.
void cast(Compiler& c, const graph::Op& op) {
  const graph::TensorId in = op.in[0], out = op.out[0];
  const graph::Type from = c.graph().tensor(in).type, to = c.graph().tensor(out).type;
  const Format format = only_casts_read(c.graph(), out) || !graph::is_16_bit(to) ? c.format(in) : c.plain(in);
  const Slot x = c.in(in, format), y = c.out(out, with_type_of(format, c.plain(out)));
  const auto n = static_cast<int64_t>(format.get_size()) / graph::bytes_of(from, sizeof(float));
  const bool bf16 = from == graph::Type::bf16 || to == graph::Type::bf16;
  const CastCode& code = c.code().cast;
  if (graph::is_16_bit(to)) {
    c.add([=, loop = bf16 ? code.to_bf16 : code.to_fp16, threads = c.threads()](const StepContext&) {
      parallel_for(threads, n, kUnit, [&](int64_t begin, int64_t end, int) {
        loop(static_cast<uint16_t*>(y.get()) + begin, x.real() + begin, end - begin);
      });
    });
  } else {
    c.add([=, loop = bf16 ? code.from_bf16 : code.from_fp16, threads = c.threads()](const StepContext&) {
      parallel_for(threads, n, kUnit, [&](int64_t begin, int64_t end, int) {
        loop(y.real() + begin, static_cast<const uint16_t*>(x.get()) + begin, end - begin);
      });
    });
  }
}

}  // namespace lockstep::kernels::onednn
