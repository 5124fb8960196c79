#include "harness/launch/leftovers.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "harness/supervisor/order.h"
#include "harness/supervisor/process_tree.h"

namespace lockstep::launch {
namespace {

using Clock = std::chrono::steady_clock;

bool orphaned_supervisor(pid_t pid) {
  const std::string harness = supervisor::environment_of(pid, supervisor::kHarnessVariable);
  return !harness.empty() && !supervisor::alive(supervisor::parse_process_id(harness)) &&
         supervisor::identify(pid).pid != 0;
}

// Repeats `none_left` until it holds.
template <class Check>
bool until(double seconds, Check none_left) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (!none_left()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace

std::vector<Leftover> find_leftovers(const std::string& launch_id) {
  std::vector<Leftover> found;
  for (pid_t pid : supervisor::all_processes()) {
    const std::string id = supervisor::environment_of(pid, supervisor::kLaunchVariable);
    if (id.empty() || (!launch_id.empty() && id != launch_id)) continue;
    const std::string keeper = supervisor::environment_of(pid, supervisor::kSupervisorVariable);
    if (keeper.empty() || supervisor::alive(supervisor::parse_process_id(keeper))) continue;
    if (supervisor::identify(pid).pid != 0) found.push_back({pid, id});
  }
  return found;
}

std::vector<Leftover> end_leftovers(double seconds, const std::string& launch_id) {
  const std::vector<Leftover> found = find_leftovers(launch_id);
  if (found.empty()) return found;
  for (const Leftover& leftover : found) kill(leftover.pid, SIGTERM), kill(leftover.pid, SIGCONT);
  if (until(seconds, [&] { return find_leftovers(launch_id).empty(); })) return found;
  until(20, [&] {
    const std::vector<Leftover> rest = find_leftovers(launch_id);
    for (const Leftover& leftover : rest) kill(leftover.pid, SIGKILL);
    return rest.empty();
  });
  return found;
}

bool wait_for_orphaned_supervisors(double seconds) {
  return until(seconds, [] {
    const std::vector<pid_t> all = supervisor::all_processes();
    return std::none_of(all.begin(), all.end(), orphaned_supervisor);
  });
}

}  // namespace lockstep::launch
