#pragma once

#ifdef _OPENMP
#include <omp.h>
#endif

namespace lockstep::worker {

/// The number of computing threads of the calling rank.
inline void set_threads([[maybe_unused]] int threads) {
#ifdef _OPENMP
  omp_set_num_threads(threads);
#endif
}

}  // namespace lockstep::worker
