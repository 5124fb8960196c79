#pragma once

#include <cstdint>
#include <string>

namespace lockstep::worker {

/// The adapter options of the reference trainer: the "options" of job.json.
struct WorkerOptions {
  std::string kernels = "auto";  ///< a kernel set, or "auto": the fastest of the precision
  int64_t deadline_s = 60;       ///< of every wait for other ranks
  std::string fault;             ///< "", or a deliberate fault: see the table in worker_options.cpp
};

/// Parses the options; unknown names are refused with the nearest known one. Throws Failure("usage").
WorkerOptions parse_options(const std::string& json);

/// Deliberate faults, which the proof of equal work must find.
struct Faults {
  double gradient_scale = 1;
  bool drop_sample = false;
  double weight_decay = 0;     ///< added to the recipe's
  double momentum_factor = 1;  ///< multiplies the recipe's momentum and beta1
};

/// Throws Failure("usage") with the known names.
Faults fault_named(const std::string& name);

}  // namespace lockstep::worker
