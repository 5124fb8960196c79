#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "adapters/contract/failure.h"
#include "adapters/contract/manifest.h"
#include "adapters/contract/plural.h"
#include "harness/cli/commands.h"
#include "harness/cli/doctor_noise.h"
#include "harness/environment/contention.h"
#include "harness/environment/machine.h"
#include "harness/environment/version.h"
#include "harness/exit_code.h"
#include "harness/launch/adapter.h"
#include "harness/launch/capture.h"
#include "harness/launch/desktop.h"
#include "harness/launch/leftovers.h"
#include "harness/places/places.h"
#include "results/json/writer.h"
#include "workloads/data/dataset.h"
#include "workloads/data/workload.h"

namespace lockstep::cli {
namespace {

constexpr double kWatchSeconds = 3, kLeastCpus = 0.05, kNoisyPercent = 10;

struct Finding {
  std::string level;  ///< ok, note: recorded, WARN: disturbs, BLOCK: prevents
  std::string topic, text;
};

double gib(double bytes) { return bytes / 1073741824.0; }

Finding cpu(const environment::Machine& machine) {
  const bool shared = machine.cores < machine.processors;
  return {shared ? "note" : "ok", "cpu",
          environment::describe(machine) + (shared ? "; two ranks share a core: read efficiency against copies" : "")};
}

Finding busy(const environment::Machine& machine) {
  const auto before = environment::cpu_times();
  const std::vector<std::string> others = busiest(kWatchSeconds, kLeastCpus);
  const auto after = environment::cpu_times();
  if (!before || !after) return {"note", "load", "/proc/stat is not readable: what others do is not seen"};
  const environment::Contention seen = environment::contention(*before, *after, machine.processors);
  const std::string text = fmt::format("others keep {:.2f} of {} CPUs busy; steal {:.1f} % in {:.0f} s",
                                       seen.other_cpus, machine.processors, 100 * seen.steal_share, kWatchSeconds);
  if (!environment::disturbs(seen, machine.processors)) return {"ok", "load", text};
  return {"WARN", "load",
          fmt::format("{}{}{} -> wait for them, or: lockstep run --wait-idle 5", text, others.empty() ? "" : ": ",
                      fmt::join(others, ", "))};
}

Finding noise() {
  const Noise seen = measure_noise(20, 50);
  const double worst = 100 * (seen.worst_ms / seen.median_ms - 1);
  return {worst > kNoisyPercent ? "WARN" : "ok", "noise",
          fmt::format("20 x fixed work: median {:.1f} ms, worst {:.1f} ms (+{:.1f} %)", seen.median_ms, seen.worst_ms,
                      worst)};
}

Finding clocks(const environment::Machine& machine) {
  if (machine.governor == "performance") return {"ok", "clocks", "governor performance"};
  if (machine.governor.empty()) return {"note", "clocks", "governor and frequency not visible"};
  return {"WARN", "clocks", "governor " + machine.governor + " -> sudo cpupower frequency-set -g performance"};
}

Finding limits(const environment::Machine& machine) {
  struct statvfs shm {};
  const bool known = statvfs("/dev/shm", &shm) == 0;
  const double size = known ? static_cast<double>(shm.f_blocks) * static_cast<double>(shm.f_frsize) : 0;
  const std::string quota =
      machine.cpu_quota_percent > 0 ? fmt::format("CPU quota {} %", machine.cpu_quota_percent) : "no CPU quota";
  const bool small = size < 64 * 1048576.0;
  return {machine.cpu_quota_percent > 0 || small ? "WARN" : "ok", "limits",
          fmt::format("{}; memory {:.1f} GiB; /dev/shm {:.2f} GiB", quota,
                      gib(static_cast<double>(machine.memory_bytes)), gib(size))};
}

Finding counters() {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  int level = 0;
  if (!(file >> level)) return {"note", "profile", "the kernel has no performance events"};
  if (level <= 1 || geteuid() == 0) return {"ok", "profile", fmt::format("perf_event_paranoid {}: counters", level)};
  return {"note", "profile",
          fmt::format("perf_event_paranoid {}: no counters -> sudo sysctl kernel.perf_event_paranoid=1", level)};
}

Finding mpi() {
  const launch::Captured version = launch::capture({"mpirun", "--version"}, 20);
  if (version.code != 0) return {"note", "mpi", "mpirun not found: cells on mpi become \"unsupported, because\""};
  return {"ok", "mpi", version.out.substr(0, version.out.find('\n'))};
}

std::vector<Finding> systems_found(const places::Places& places) {
  std::vector<Finding> all;
  for (const contract::Manifest& manifest : contract::read_manifests(places.adapters)) {
    if (manifest.name == "fake" || manifest.name == "constant") continue;
    const launch::Adapter adapter = launch::find_adapter(manifest, places, "");
    const std::string where = adapter.python.empty() ? adapter.worker.filename().string() : adapter.python;
    const std::string versions = launch::versions_text(adapter);
    all.push_back({adapter.missing.empty() ? "ok" : "note", manifest.name,
                   adapter.missing.empty() ? where + (versions.empty() ? "" : "; " + versions) : adapter.missing});
  }
  return all;
}

Finding desktop(const places::Places& places) {
  const launch::Desktop found = launch::find_desktop(places.bin);
  if (found.missing.empty()) return {"ok", "desktop", found.version};
  return {"note", "desktop", found.missing};
}

Finding data(const places::Places& places, const std::filesystem::path& runs) {
  std::vector<std::string> there, missing;
  for (const workloads::Listed& listed : workloads::list(places.workloads)) {
    try {
      workloads::write_dataset(workloads::resolve(places.workloads, listed.id, "micro", {}), runs / "shared");
      there.push_back(listed.id);
    } catch (const Failure& failure) {
      missing.push_back(failure.what());
    }
  }
  if (missing.empty()) return {"ok", "data", fmt::format("of {}: checksums right", fmt::join(there, ", "))};
  return {"WARN", "data", fmt::format("{}", fmt::join(missing, "; "))};
}

Finding store_file(const Context& context) {
  struct statvfs disk {};
  const auto folder = std::filesystem::absolute(context.store).parent_path();
  const bool known = statvfs(folder.c_str(), &disk) == 0;
  const double space = known ? static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize) : 0;
  const std::string free = fmt::format("{:.1f} GB free", space / 1e9);
  if (!std::filesystem::exists(context.store)) {
    const bool writable = access(folder.c_str(), W_OK) == 0;
    return {
        writable ? "ok" : "BLOCK", "store",
        fmt::format("{}: not there yet; {}", context.store.string(), writable ? free : "the folder is not writable")};
  }
  try {
    store::Store store = context.open_store();
    return {"ok", "store",
            fmt::format("{}: {}; {}", context.store.string(),
                        plural(static_cast<int64_t>(store.campaigns().size()), "campaign"), free)};
  } catch (const Failure& failure) {
    return {"BLOCK", "store", failure.what()};
  }
}

Finding leftovers() {
  const size_t count = launch::find_leftovers().size();
  if (count == 0) return {"ok", "ghosts", "no process is left of a killed launch"};
  return {"WARN", "ghosts",
          fmt::format("{} processes are left of a killed launch; the next lockstep run ends them", count)};
}

std::vector<Finding> examine(const Context& context) {
  const places::Places places = places::find();
  const environment::Machine machine = environment::read_machine();
  std::vector<Finding> all{{"ok", "build", fmt::format("lockstep {}, {}", environment::version(), places.bin.string())},
                           cpu(machine),
                           busy(machine),
                           noise(),
                           clocks(machine),
                           limits(machine),
                           mpi()};
  for (Finding& finding : systems_found(places)) all.push_back(std::move(finding));
  all.push_back(
      {"note", "gpu", machine.gpu.empty() ? "no device: cells on nccl become \"unsupported, because\"" : machine.gpu});
  all.push_back(desktop(places));
  all.push_back(store_file(context));
  all.push_back(counters());
  all.push_back(data(places, context.runs));
  all.push_back(leftovers());
  return all;
}

}  // namespace

int doctor(const Arguments&, const Context& context) {
  const std::vector<Finding> all = examine(context);
  const auto count = [&](const char* level) {
    return std::count_if(all.begin(), all.end(), [&](const Finding& f) { return f.level == level; });
  };
  if (context.json) {
    json::Writer out;
    out.open_object().member("format", "lockstep.doctor").member("version", 1).key("findings").open_array();
    for (const Finding& f : all) {
      out.open_object().member("level", f.level).member("topic", f.topic).member("text", f.text).close();
    }
    context.print(out.close().member("warn", count("WARN")).member("block", count("BLOCK")).close().text());
  } else {
    for (const Finding& f : all) context.print(fmt::format("{:<6}{:<10}{}\n", f.level, f.topic, f.text));
    context.print(
        fmt::format("{} WARN, {} BLOCK. ok, note: recorded; WARN: disturbs, launches are marked \"disturbed\" by what "
                    "happens while they run; BLOCK: prevents\n",
                    count("WARN"), count("BLOCK")));
  }
  return count("BLOCK") > 0 ? kFailed : kFine;
}

}  // namespace lockstep::cli
