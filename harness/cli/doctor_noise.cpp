#include "harness/cli/doctor_noise.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

namespace lockstep::cli {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// Dependent steps of a multiplicative generator: no memory, nothing to vectorize.
uint64_t spin(int64_t steps) {
  uint64_t state = 88172645463325252ULL;
  for (int64_t i = 0; i < steps; ++i) state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return state;
}

/// Keeps the compiler from leaving the work out.
void keep(uint64_t value) { asm volatile("" : : "r"(value)); }

struct Used {
  std::string name;
  double seconds = 0;
};

std::map<int, Used> used_by_all() {
  std::map<int, Used> out;
  std::error_code none;
  const double hz = static_cast<double>(sysconf(_SC_CLK_TCK));
  for (const auto& entry : std::filesystem::directory_iterator("/proc", none)) {
    const std::string pid = entry.path().filename().string();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    const std::string line{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    // "pid (name) state ppid ...": the name may hold blanks and brackets; utime and stime are the 14th and 15th field.
    const size_t open = line.find('('), close = line.rfind(')');
    if (open == std::string::npos || close == std::string::npos) continue;
    std::istringstream rest(line.substr(close + 1));
    std::string skipped;
    for (int field = 3; field < 14; ++field) rest >> skipped;
    double user = 0, system = 0;
    rest >> user >> system;
    out[std::stoi(pid)] = {line.substr(open + 1, close - open - 1), (user + system) / hz};
  }
  return out;
}

}  // namespace

Noise measure_noise(int times, double milliseconds) {
  int64_t steps = 1'000'000;
  const auto calibration = Clock::now();
  keep(spin(steps));
  steps = std::max<int64_t>(1, static_cast<int64_t>(1e6 * milliseconds / milliseconds_since(calibration)));
  std::vector<double> all;
  for (int i = 0; i < times; ++i) {
    const auto begin = Clock::now();
    keep(spin(steps));
    all.push_back(milliseconds_since(begin));
  }
  std::sort(all.begin(), all.end());
  return {all[all.size() / 2], all.back()};
}

std::vector<std::string> busiest(double seconds, double least_cpus) {
  const auto before = used_by_all();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  std::vector<std::pair<double, std::string>> found;
  for (const auto& [pid, now] : used_by_all()) {
    const auto then = before.find(pid);
    const double cpus = (now.seconds - (then == before.end() ? 0 : then->second.seconds)) / seconds;
    if (pid == getpid() || cpus < least_cpus) continue;
    found.emplace_back(cpus, fmt::format("{} (pid {}) takes {:.2f} CPU", now.name, pid, cpus));
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<std::string> out;
  for (size_t i = 0; i < std::min<size_t>(found.size(), 3); ++i) out.push_back(found[i].second);
  return out;
}

}  // namespace lockstep::cli
