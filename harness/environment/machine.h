#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lockstep::environment {

/// What of this machine may change a measurement and survives a reboot.
struct Machine {
  std::string host, cpu, kernel, distribution, architecture;
  int64_t processors = 1;  ///< in this process's affinity mask
  int64_t cores = 1;       ///< different cores among them
  int64_t memory_bytes = 0;
  std::string governor;           ///< empty where the system does not show it
  std::string hypervisor;         ///< empty on bare metal, or where it cannot be told
  int64_t cpu_quota_percent = 0;  ///< of a control group; 0: none
  std::string gpu;                ///< empty: no device of ours to use
};

Machine read_machine();

/// "2 CPUs = 2 threads of 1 core (AMD EPYC 7B13), no GPU".
std::string describe(const Machine& machine);

/// Of the user who runs this; the number where it has no name.
std::string user_name();

/// Runnable processes, averaged over a minute; NaN where /proc does not tell.
double load();

/// Variables that may change a measurement, from an allow-list: nothing else of the environment is ever written.
std::map<std::string, std::string> variables();

/// What a launch is to run in, as far as it is known before: the version of this program, machine, variables, the
/// adapter's probe (JSON, or empty), and what tells its code from another (or empty: the versions do). The store keeps
/// it together with what the worker says in its hello.
std::string environment_json(const Machine& machine, const std::string& system, const std::string& probe_json,
                             const std::string& code);

}  // namespace lockstep::environment
