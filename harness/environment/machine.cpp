#include "harness/environment/machine.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <string_view>

#include "harness/environment/version.h"
#include "results/json/writer.h"
#include "results/report/environments.h"

namespace lockstep::environment {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The value of the first line "KEY ... : VALUE" or "KEY=VALUE" of a file.
std::string field(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const size_t mark = line.find_first_of(":=", key.size());
    if (mark == std::string::npos) continue;
    const size_t start = line.find_first_not_of(" \t\"", mark + 1);
    const size_t end = line.find_last_not_of(" \t\"");
    return start == std::string::npos ? "" : line.substr(start, end - start + 1);
  }
  return "";
}

int64_t number(const std::string& text) {
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::vector<int> affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> processors;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(i, &set)) processors.push_back(i);
    }
  }
  if (processors.empty()) processors.push_back(0);
  return processors;
}

std::string topology(int processor, const char* what) {
  return first_line(fmt::format("/sys/devices/system/cpu/cpu{}/topology/{}", processor, what));
}

int64_t count_cores(const std::vector<int>& processors) {
  std::set<std::string> cores;
  for (int processor : processors) {
    const std::string core = topology(processor, "core_id");
    cores.insert(core.empty() ? fmt::format("cpu{}", processor)
                              : topology(processor, "physical_package_id") + ":" + core);
  }
  return static_cast<int64_t>(cores.size());
}

// cgroup v2: "max 100000" or "QUOTA PERIOD".
int64_t quota() {
  const std::string line = first_line("/sys/fs/cgroup/cpu.max");
  const size_t blank = line.find(' ');
  if (blank == std::string::npos || line.compare(0, 3, "max") == 0) return 0;
  const int64_t period = number(line.substr(blank + 1));
  return period > 0 ? number(line) * 100 / period : 0;
}

// The model of the first device that NVIDIA's driver shows.
std::string find_gpu() {
  std::error_code none;
  for (const auto& device : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", none)) {
    return field((device.path() / "information").string(), "Model");
  }
  return "";
}

}  // namespace

Machine read_machine() {
  Machine machine;
  utsname names{};
  uname(&names);
  machine.host = names.nodename, machine.kernel = names.release, machine.architecture = names.machine;
  machine.cpu = field("/proc/cpuinfo", "model name");
  if (machine.cpu.empty()) machine.cpu = names.machine;
  machine.distribution = field("/etc/os-release", "PRETTY_NAME");
  const std::vector<int> processors = affinity();
  machine.processors = static_cast<int64_t>(processors.size());
  machine.cores = count_cores(processors);
  machine.memory_bytes = number(field("/proc/meminfo", "MemTotal")) * 1024;
  machine.governor = first_line(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", processors[0]));
  machine.hypervisor = first_line("/sys/class/dmi/id/sys_vendor");
  if (field("/proc/cpuinfo", "flags").find(" hypervisor") == std::string::npos) machine.hypervisor.clear();
  machine.cpu_quota_percent = quota();
  machine.gpu = find_gpu();
  return machine;
}

std::string describe(const Machine& machine) {
  return report::machine_text(machine.processors, machine.cores, machine.cpu, machine.gpu);
}

std::string user_name() {
  const passwd* entry = getpwuid(geteuid());
  return entry != nullptr ? entry->pw_name : std::to_string(geteuid());
}

double load() {
  const std::string line = first_line("/proc/loadavg");
  double value = std::numeric_limits<double>::quiet_NaN();
  std::from_chars(line.data(), line.data() + line.size(), value);
  return value;
}

std::map<std::string, std::string> variables() {
  constexpr std::array kWhole = {"CUDA_VISIBLE_DEVICES", "LD_PRELOAD", "MALLOC_ARENA_MAX", "PYTHONHASHSEED"};
  constexpr std::array<std::string_view, 9> kPrefixes = {"OMP_",  "KMP_",  "GOMP_", "OPENBLAS_", "MKL_",
                                                         "BLIS_", "DNNL_", "NCCL_", "OMPI_MCA_"};
  std::map<std::string, std::string> found;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const size_t mark = text.find('=');
    if (mark == std::string_view::npos) continue;
    const std::string_view key = text.substr(0, mark);
    const bool listed =
        std::find(kWhole.begin(), kWhole.end(), key) != kWhole.end() ||
        std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view p) { return key.starts_with(p); });
    if (listed) found.emplace(key, text.substr(mark + 1));
  }
  return found;
}

std::string environment_json(const Machine& m, const std::string& system, const std::string& probe_json,
                             const std::string& code) {
  json::Writer out;
  out.open_object().member("lockstep", version()).key("machine").open_object();
  out.member("host", m.host).member("cpu", m.cpu).member("processors", m.processors).member("cores", m.cores);
  out.member("memory_bytes", m.memory_bytes).member("kernel", m.kernel).member("distribution", m.distribution);
  out.member("architecture", m.architecture).known("governor", m.governor).known("hypervisor", m.hypervisor);
  if (m.cpu_quota_percent > 0) out.member("cpu_quota_percent", m.cpu_quota_percent);
  out.known("gpu", m.gpu).close();
  out.key("variables").open_object();
  for (const auto& [key, value] : variables()) out.member(key, value);
  out.close().member("system", system).known("code", code);
  if (!probe_json.empty()) out.key("probe").raw(probe_json);
  return out.close().text();
}

}  // namespace lockstep::environment
