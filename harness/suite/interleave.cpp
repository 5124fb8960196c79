#include "harness/suite/interleave.h"

#include <numeric>
#include <utility>

#include "workloads/data/philox.h"

namespace lockstep::suite {

std::vector<std::vector<int64_t>> interleave(int64_t cells, int64_t blocks, uint64_t seed) {
  std::vector<std::vector<int64_t>> order;
  for (int64_t block = 0; block < blocks; ++block) {
    if (block % 2 == 1) {
      order.emplace_back(order.back().rbegin(), order.back().rend());
      continue;
    }
    const workloads::Draws draws(seed, "block", static_cast<uint64_t>(block));
    std::vector<int64_t> cell(static_cast<size_t>(cells));
    std::iota(cell.begin(), cell.end(), int64_t{0});
    for (size_t i = cell.size(); i > 1; --i) std::swap(cell[i - 1], cell[draws.bounded(i, i)]);
    order.push_back(std::move(cell));
  }
  return order;
}

}  // namespace lockstep::suite
