#pragma once

#include <compare>
#include <cstdint>

namespace lockstep::plan {

/// What of a workload's recipe decides how much a plan sends and keeps.
struct Work {
  int64_t batch = 1;         ///< samples of a step of the whole job
  int64_t real_bytes = 4;    ///< of a real number
  int optimizer_arrays = 0;  ///< arrays as large as the parameters that the optimizer keeps
  bool clips = false;        ///< gradients are clipped by their global norm, which the ranks then agree on

  auto operator<=>(const Work&) const = default;
};

}  // namespace lockstep::plan
