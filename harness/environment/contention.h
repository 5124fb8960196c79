#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace lockstep::environment {

/// Processor time since boot of the whole machine, and of this process with the children that it has waited for.
struct CpuTimes {
  double at_s = 0;     ///< monotonic
  double busy_s = 0;   ///< of all processors: anything but idle, waiting for disks, and stolen
  double steal_s = 0;  ///< taken by the hypervisor
  double ours_s = 0;
};
/// None where /proc/stat cannot be read.
std::optional<CpuTimes> cpu_times();

/// What others did meanwhile.
struct Contention {
  double other_cpus = 0;   ///< processors that processes of others kept busy, in the mean
  double steal_share = 0;  ///< of all processors' time
};
Contention contention(const CpuTimes& before, const CpuTimes& after, int64_t processors);

/// More than a twentieth of the processors, or a hundredth of their time stolen: a measurement of percents is
/// disturbed.
bool disturbs(const Contention& contention, int64_t processors);

enum class Idle : uint8_t { idle, busy, stopped };

/// Waits until others have left the machine alone for two seconds, at most `seconds` in all, or until `stop`, asked ten
/// times a second, says so.
Idle wait_until_idle(double seconds, int64_t processors, const std::function<bool()>& stop);

}  // namespace lockstep::environment
