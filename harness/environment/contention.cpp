#include "harness/environment/contention.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <thread>

namespace lockstep::environment {
namespace {

constexpr double kCpuShare = 0.05, kStealShare = 0.01, kQuietSeconds = 2;
constexpr std::chrono::milliseconds kAsked{100};

double monotonic_s() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double used_s(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

std::optional<CpuTimes> cpu_times() {
  std::ifstream stat("/proc/stat");
  std::string name;
  std::array<double, 8> ticks{};  // user nice system idle iowait irq softirq steal: proc(5)
  stat >> name;
  for (double& count : ticks) stat >> count;
  if (!stat || name != "cpu") return std::nullopt;
  const auto [user, nice, system, idle, iowait, irq, softirq, steal] = ticks;
  const double hz = static_cast<double>(sysconf(_SC_CLK_TCK));
  return CpuTimes{monotonic_s(), (user + nice + system + irq + softirq) / hz, steal / hz,
                  used_s(RUSAGE_SELF) + used_s(RUSAGE_CHILDREN)};
}

Contention contention(const CpuTimes& before, const CpuTimes& after, int64_t processors) {
  const double length = after.at_s - before.at_s;
  if (length <= 0) return {};
  const double others = (after.busy_s - before.busy_s) - (after.ours_s - before.ours_s);
  return {std::max(0.0, others / length),
          std::max(0.0, (after.steal_s - before.steal_s) / (length * static_cast<double>(processors)))};
}

bool disturbs(const Contention& contention, int64_t processors) {
  return contention.other_cpus > kCpuShare * static_cast<double>(processors) || contention.steal_share > kStealShare;
}

Idle wait_until_idle(double seconds, int64_t processors, const std::function<bool()>& stop) {
  for (const double end = monotonic_s() + seconds;;) {
    const auto before = cpu_times();
    for (const double quiet = monotonic_s() + kQuietSeconds; monotonic_s() < quiet;) {
      if (stop()) return Idle::stopped;
      std::this_thread::sleep_for(kAsked);
    }
    const auto after = cpu_times();
    if (!before || !after || !disturbs(contention(*before, *after, processors), processors)) return Idle::idle;
    if (monotonic_s() >= end) return Idle::busy;
  }
}

}  // namespace lockstep::environment
