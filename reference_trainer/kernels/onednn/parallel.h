#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace lockstep::kernels::onednn {

/// Calls body(begin, end, part) on at most `threads` contiguous parts of [0, n) whose borders are multiples of `unit`;
/// part < threads. The parts depend only on the arguments, so results do not change from run to run.
template <class Body>
void parallel_for(int threads, int64_t n, int64_t unit, const Body& body) {
  const int64_t units = (n + unit - 1) / unit;
  const int64_t parts = std::min<int64_t>(threads, units);
  if (parts <= 1) {
    body(int64_t{0}, n, 0);
    return;
  }
#pragma omp parallel for num_threads(static_cast <int>(parts)) schedule(static, 1)
  for (int64_t part = 0; part < parts; ++part) {
    body(units * part / parts * unit, std::min(n, units * (part + 1) / parts * unit), static_cast<int>(part));
  }
}

}  // namespace lockstep::kernels::onednn
