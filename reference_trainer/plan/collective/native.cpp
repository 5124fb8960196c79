// `native`: the transport's own all-reduce, which has no program. Plans charge the lower bound that no algorithm
// without redundant work beats (Chan et al. 2007): with p ranks, N bytes a rank,
//
//   ceil(log2 p) alpha + 2(p-1)/p N beta + (p-1)/p N gamma
//
// so bytes of a native operation are modelled, unless its transport counts them.
#include <bit>

#include "reference_trainer/plan/collective/generators.h"

namespace lockstep::collective {

Cost native_cost(Operation, int ranks, double bytes) {
  const double pass = bytes / ranks * (ranks - 1);
  return {.messages = static_cast<double>(std::bit_width(static_cast<unsigned>(ranks - 1))),
          .moved = 2 * pass,
          .reduced = pass,
          .sent = 2 * pass,
          .rounds = ranks > 1 ? 1 : 0};
}

}  // namespace lockstep::collective
