#include <cstring>

#include "reference_trainer/kernels/onednn/ops.h"
#include "reference_trainer/kernels/onednn/parallel.h"

namespace lockstep::kernels::onednn {
namespace {

void clear(const Slot& slot, int64_t count) { std::memset(slot.real(), 0, static_cast<size_t>(count) * sizeof(float)); }

/// Calls visit(token, choice, place) for the choices of tokens [begin, end) that found a place.
template <class Visit>
void for_choices(const Slot& slots, int64_t choices, int64_t begin, int64_t end, const Visit& visit) {
  for (int64_t i = begin * choices; i < end * choices; ++i) {
    const int64_t place = slots.index()[i];
    if (place >= 0) visit(i / choices, i, place);
  }
}

}  // namespace

/// No place has two tokens, so threads may share the tokens out.
void dispatch(Compiler& c, const graph::Op& op) {
  const Operand chosen = c.operand(op.in[1]), made = c.operand(op.out[0]);
  const int64_t width = width_of(made), choices = width_of(chosen), tokens = chosen.count / choices;
  const Slot x = c.in(op.in[0]), slots = c.in(op.in[1]), y = c.out(op.out[0]);
  c.add([=, count = made.count, threads = c.threads()](const StepContext&) {
    clear(y, count);
    parallel_for(threads, tokens, 16, [&](int64_t begin, int64_t end, int) {
      for_choices(slots, choices, begin, end, [&](int64_t token, int64_t, int64_t place) {
        std::memcpy(y.real() + place * width, x.real() + token * width, static_cast<size_t>(width) * sizeof(float));
      });
    });
  });
}

void dispatch_grad(Compiler& c, const graph::Op& op) {
  const Operand chosen = c.operand(op.in[1]), made = c.operand(op.out[0]);
  const int64_t width = width_of(made), choices = width_of(chosen), tokens = chosen.count / choices;
  const Slot dy = c.in(op.in[0]), slots = c.in(op.in[1]), dx = c.out(op.out[0]);
  c.add([=, count = made.count, threads = c.threads(), code = c.code().update32](const StepContext&) {
    clear(dx, count);
    parallel_for(threads, tokens, 16, [&](int64_t begin, int64_t end, int) {
      for_choices(slots, choices, begin, end, [&](int64_t token, int64_t, int64_t place) {
        code.accumulate(dx.real() + token * width, dy.real() + place * width, width);
      });
    });
  });
}

void combine(Compiler& c, const graph::Op& op) {
  const Operand chosen = c.operand(op.in[2]), made = c.operand(op.out[0]);
  const int64_t width = width_of(made), choices = width_of(chosen), tokens = chosen.count / choices;
  const Slot y = c.in(op.in[0]), gates = c.in(op.in[1]), slots = c.in(op.in[2]), z = c.out(op.out[0]);
  c.add([=, count = made.count, threads = c.threads(), code = c.code().rows](const StepContext&) {
    clear(z, count);
    parallel_for(threads, tokens, 16, [&](int64_t begin, int64_t end, int) {
      for_choices(slots, choices, begin, end, [&](int64_t token, int64_t choice, int64_t place) {
        float* row = z.real() + token * width;
        code.combine(row, row, y.real() + place * width, 1, gates.real()[choice], 0, width);
      });
    });
  });
}

void combine_grad(Compiler& c, const graph::Op& op) {
  const Operand chosen = c.operand(op.in[3]), places = c.operand(op.out[0]);
  const int64_t width = width_of(places), choices = width_of(chosen), tokens = chosen.count / choices;
  const Slot dz = c.in(op.in[0]), y = c.in(op.in[1]), gates = c.in(op.in[2]), slots = c.in(op.in[3]);
  const Slot dy = c.out(op.out[0]), dgates = c.out(op.out[1]);
  c.add([=, count = places.count, threads = c.threads(), code = c.code().rows](const StepContext&) {
    clear(dy, count);
    clear(dgates, tokens * choices);
    parallel_for(threads, tokens, 16, [&](int64_t begin, int64_t end, int) {
      for_choices(slots, choices, begin, end, [&](int64_t token, int64_t choice, int64_t place) {
        const float* row = dz.real() + token * width;
        code.affine(dy.real() + place * width, row, gates.real()[choice], 0, width);
        dgates.real()[choice] = static_cast<float>(code.centered(y.real() + place * width, row, 0, width));
      });
    });
  });
}

}  // namespace lockstep::kernels::onednn
