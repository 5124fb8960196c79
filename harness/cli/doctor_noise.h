#pragma once

#include <string>
#include <vector>

namespace lockstep::cli {

/// The time that a fixed piece of work takes, again and again: what a machine does to any measurement.
struct Noise {
  double median_ms = 0, worst_ms = 0;
};
Noise measure_noise(int times, double milliseconds);

/// The processes of others that took most processor time over the last `seconds`: "cc1plus (pid 4711) takes 0.88 CPU".
std::vector<std::string> busiest(double seconds, double least_cpus);

}  // namespace lockstep::cli
