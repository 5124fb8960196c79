#include "harness/supervisor/tree_memory.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "harness/supervisor/process_tree.h"

namespace lockstep::supervisor {
namespace {

namespace fs = std::filesystem;

constexpr double kLookUpSeconds = 1;

// 0 for a process that has ended meanwhile.
int64_t resident_bytes(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  int64_t size = 0, resident = 0;  // pages: proc(5)
  return file >> size >> resident ? resident * sysconf(_SC_PAGESIZE) : 0;
}

std::string executable_of(const std::string& pid) {
  std::error_code gone;
  return fs::read_symlink("/proc/" + pid + "/exe", gone).string();
}

std::vector<pid_t> others_below() {
  std::vector<pid_t> found = descendants(getpid());
  const std::string ours = executable_of("self");
  std::erase_if(found, [&](pid_t pid) { return executable_of(std::to_string(pid)) == ours; });
  return found;
}

}  // namespace

void TreeMemory::look(double now) {
  if (pids_.empty() || now - looked_up_ >= kLookUpSeconds) pids_ = others_below(), looked_up_ = now;
  int64_t sum = 0;
  for (const pid_t pid : pids_) sum += resident_bytes(pid);
  peak_bytes_ = std::max(peak_bytes_, sum);
}

}  // namespace lockstep::supervisor
