#include <cstring>

#include "reference_trainer/kernels/onednn/ops.h"
#include "reference_trainer/kernels/onednn/parallel.h"
#include "workloads/data/philox.h"

namespace lockstep::kernels::onednn {
namespace {

using graph::OpKind;
using Unary = void (*)(float*, const float*, int64_t);
using Binary = void (*)(float*, const float*, const float*, int64_t);

constexpr int64_t kUnit = 1024;  // numbers that a thread takes at least

Unary unary_loop(const PointwiseCode& code, OpKind kind) {
  if (kind == OpKind::relu) return code.relu;
  if (kind == OpKind::gelu) return code.gelu;
  return code.tanh;
}

Binary binary_loop(const PointwiseCode& code, OpKind kind) {
  if (kind == OpKind::relu_grad) return code.relu_grad;
  if (kind == OpKind::gelu_grad) return code.gelu_grad;
  if (kind == OpKind::tanh_grad) return code.tanh_grad;
  return code.add;
}

/// Numbers in memory, the padding of blocked formats included: it is zero, and stays zero under these functions.
int64_t numbers(const Format& format) { return static_cast<int64_t>(format.get_size() / sizeof(float)); }

}  // namespace

void unary(Compiler& c, const graph::Op& op) {
  const Format format = c.format(op.in[0]);
  const Slot x = c.in(op.in[0], format), y = c.out_over(op.out[0], op.in[0], format);
  const Unary loop = unary_loop(c.code().pointwise, op.kind);
  c.add([=, n = numbers(format), threads = c.threads()](const StepContext&) {
    parallel_for(threads, n, kUnit,
                 [&](int64_t begin, int64_t end, int) { loop(y.real() + begin, x.real() + begin, end - begin); });
  });
}

/// Gradients have the format of the second operand (y or x), which the forward pass chose; `add` that of the first.
void binary(Compiler& c, const graph::Op& op) {
  const Format format = c.format(op.in[op.kind == OpKind::add ? 0 : 1]);
  const Slot a = c.in(op.in[0], format), b = c.in(op.in[1], format);
  const Slot y = c.out_over(op.out[0], op.in[0], format);
  const Binary loop = binary_loop(c.code().pointwise, op.kind);
  c.add([=, n = numbers(format), threads = c.threads()](const StepContext&) {
    parallel_for(threads, n, kUnit, [&](int64_t begin, int64_t end, int) {
      loop(y.real() + begin, a.real() + begin, b.real() + begin, end - begin);
    });
  });
}

void reshape(Compiler& c, const graph::Op& op) {
  const bool index = c.graph().tensor(op.in[0]).type == graph::Type::index;
  const Slot x = c.in(op.in[0]);
  if (!index && c.share(op.out[0], op.in[0])) return;
  const auto bytes = static_cast<size_t>(c.operand(op.in[0]).count) * sizeof(float);
  c.add([=, y = c.out(op.out[0])](const StepContext&) { std::memcpy(y.get(), x.get(), bytes); });
}

/// The mask is the oracle's (naive/pointwise.h). A rank with a part of the sample draws all of its mask and takes the
/// words of its part, which then lie behind those of the whole.
void dropout(Compiler& c, const graph::Op& op) {
  const Operand shape = c.operand(op.in[0]);
  const std::vector<int64_t> whole = graph::whole_elements(*shape.tensor);
  const int64_t samples = shape.dims[0], each = shape.count / samples,
                draws_each = (graph::whole_count(*shape.tensor) + 3) / 4,
                words_each = 4 * draws_each + (whole.empty() ? 0 : each);
  const Slot x = c.in(op.in[0]), ids = c.in(op.in[1]), y = c.out(op.out[0]);
  const Slot words = c.scratch(words_each * c.threads() * int64_t{sizeof(uint32_t)});
  const auto threshold = static_cast<uint32_t>(op.attr.rate * 0x1p32);
  const auto scale = static_cast<float>(1 / (1 - op.attr.rate));
  const std::string stream(dropout_stream(op.name));
  c.add([=, threads = c.threads(), code = c.code().pointwise](const StepContext& context) {
    if (!context.training) {
      std::memcpy(y.get(), x.get(), static_cast<size_t>(samples * each) * sizeof(float));
      return;
    }
    const workloads::Draws draws(context.seed, stream, static_cast<uint64_t>(context.step));
    parallel_for(threads, samples, 1, [&](int64_t begin, int64_t end, int part) {
      auto* mine = reinterpret_cast<uint32_t*>(words.get()) + part * words_each;
      uint32_t* taken = whole.empty() ? mine : mine + 4 * draws_each;
      for (int64_t n = begin; n < end; ++n) {
        for (int64_t d = 0; d < draws_each; ++d) {
          const auto block = draws.block(static_cast<uint64_t>(ids.index()[n] * draws_each + d));
          std::memcpy(mine + 4 * d, block.data(), sizeof(block));
        }
        for (size_t e = 0; e < whole.size(); ++e) taken[e] = mine[whole[e]];
        code.mask(y.real() + n * each, x.real() + n * each, taken, threshold, scale, each);
      }
    });
  });
}

}  // namespace lockstep::kernels::onednn
