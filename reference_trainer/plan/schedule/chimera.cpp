// Chimera (Li and Hoefler 2021), with one pair of pipelines: two replicas of the model lie on the ranks in opposite
// directions, each takes half of the microbatches, and both run at once. Units of p microbatches follow one another
// directly; the last one may be smaller. p is even, and so is m.
//
// A rank's order comes from slots of equal length: in a unit, stage s does the i-th forward of its direction in slot s
// + 2i and its backward in slot 2p-1-s + 2i. No two fall together, since s and p-1-s differ in parity for even p.
//
//   idle time of a rank  (p-2) (F+B)/2 where F = B and m is a multiple of p: half of 1F1B's or less;
//                        (2p-2-r) (F+B)/2 with r = m mod p > 0
//   activations held     min(p-r, h) + min(r+1, h) at rank r, h = min(p, m)/2: from p/2+1 to p for m >= p
#include <algorithm>
#include <utility>

#include "reference_trainer/plan/schedule/generators.h"

namespace lockstep::schedule {

Schedule chimera(const Numbers& n) {
  const int p = n.ranks;
  Schedule out = empty_schedule("chimera", n);
  out.placement.push_back({out.placement[0].rbegin(), out.placement[0].rend()});
  std::vector<std::vector<std::pair<int, Action>>> slots(static_cast<size_t>(p));
  for (int m = 0; m < n.microbatches; ++m) {
    const int unit = m / p, half = std::min(p, n.microbatches - unit * p) / 2;
    const int direction = m % p < half ? 0 : 1, i = m % p - direction * half;
    out.direction[static_cast<size_t>(m)] = direction;
    for (int stage = 0; stage < p; ++stage) {
      auto& rank = slots[static_cast<size_t>(out.rank_of(stage, m))];
      rank.push_back({2 * p * unit + stage + 2 * i, {stage, ActionKind::F, m}});
      rank.push_back({2 * p * unit + 2 * p - 1 - stage + 2 * i, {stage, ActionKind::B, m}});
    }
  }
  for (int rank = 0; rank < p; ++rank) {
    auto& mine = slots[static_cast<size_t>(rank)];
    std::ranges::sort(mine, {}, &std::pair<int, Action>::first);
    for (const auto& [slot, action] : mine) out.ranks[static_cast<size_t>(rank)].push_back(action);
  }
  return out;
}

double chimera_idle(const Numbers& n, const Times& t) {
  const int rest = n.microbatches % n.ranks;
  return (2 * n.ranks - 2 - (rest == 0 ? n.ranks : rest)) * (t.forward + t.backward()) / 2;
}

int chimera_in_flight(const Numbers& n, int rank) {
  const int half = std::min(n.ranks, n.microbatches) / 2;
  return std::min(n.ranks - rank, half) + std::min(rank + 1, half);
}

}  // namespace lockstep::schedule
