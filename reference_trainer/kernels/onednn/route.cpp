#include "reference_trainer/kernels/onednn/ops.h"
#include "reference_trainer/kernels/onednn/parallel.h"
#include "reference_trainer/kernels/routing.h"

namespace lockstep::kernels::onednn {

/// Groups are independent: a part of them a thread.
void route(Compiler& c, const graph::Op& op) {
  const Routing z = routing_of(op.attr, c.operand(op.in[0]), c.operand(op.out[0]).dims[2]);
  const Slot logits = c.in(op.in[0]), gates = c.out(op.out[0]), slots = c.out(op.out[1]), probs = c.out(op.out[2]);
  const Slot dropped = c.out(op.out[3]);
  const int threads = c.threads();
  const Slot partial = c.scratch(threads * int64_t{sizeof(int64_t)});
  c.add([=](const StepContext& context) {
    const int64_t real_tokens = (z.samples - context.padding) * z.seq;
    auto* counts = static_cast<int64_t*>(partial.get());
    std::fill_n(counts, threads, int64_t{0});
    parallel_for(threads, z.groups(), 1, [&](int64_t begin, int64_t end, int part) {
      for (int64_t g = begin; g < end; ++g)
        counts[part] +=
            route_group(z, g, logits.real(), gates.real(), slots.index(), probs.real(), real_tokens - z.begin_of(g));
    });
    int64_t sum = 0;
    for (int part = 0; part < threads; ++part) sum += counts[part];
    *dropped.real() = static_cast<float>(sum);
  });
}

void route_grad(Compiler& c, const graph::Op& op) {
  const Routing z = routing_of(op.attr, c.operand(op.in[0]), c.operand(op.in[1]).dims[2]);
  const bool balanced = op.in.size() > 2;
  const Slot probs = c.in(op.in[0]), dgates = c.in(op.in[1]), dprobs = balanced ? c.in(op.in[2]) : Slot{};
  const Slot dlogits = c.out(op.out[0]);
  c.add([=, threads = c.threads()](const StepContext&) {
    const float* extra = balanced ? dprobs.real() : nullptr;
    parallel_for(threads, z.groups(), 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t g = begin; g < end; ++g) route_group_grad(z, g, probs.real(), dgates.real(), extra, dlogits.real());
    });
  });
}

void load_balance(Compiler& c, const graph::Op& op) {
  const Routing z = routing_of(op.attr, c.operand(op.in[0]), 1);
  const Slot probs = c.in(op.in[0]), penalty = c.out(op.out[0]);
  c.add([=, weight = static_cast<float>(op.attr.weight)](const StepContext&) {
    kernels::load_balance(z, weight, probs.real(), penalty.real());
  });
}

void load_balance_grad(Compiler& c, const graph::Op& op) {
  const Routing z = routing_of(op.attr, c.operand(op.in[0]), 1);
  const Slot probs = c.in(op.in[0]), dpenalty = c.in(op.in[1]), dprobs = c.out(op.out[0]);
  c.add([=, weight = static_cast<float>(op.attr.weight)](const StepContext&) {
    kernels::load_balance_grad(z, weight, probs.real(), dpenalty.real(), dprobs.real());
  });
}

}  // namespace lockstep::kernels::onednn
