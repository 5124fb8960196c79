#include "harness/supervisor/supervise.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <string_view>

#include "harness/supervisor/process_tree.h"
#include "harness/supervisor/start.h"
#include "harness/supervisor/tree_memory.h"
#include "harness/supervisor/watch.h"

namespace lockstep::supervisor {
namespace {

constexpr int kPollMs = 100;
// What a finished launch's helpers (mpirun's daemons) get to end by themselves before they count as left behind.
constexpr double kAfterglow = 0.5;
// How long SIGKILL may take until the kernel has ended a process (one in uninterruptible sleep takes longer).
constexpr double kKillPatience = 20;

int64_t clock_ns(clockid_t id) {
  timespec time{};
  clock_gettime(id, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}
double now() { return static_cast<double>(clock_ns(CLOCK_MONOTONIC)) * 1e-9; }

std::string_view key_of(std::string_view variable) { return variable.substr(0, variable.find('=')); }

// Our own environment with `changes` put over it, and without the variable that is the supervisor's alone.
std::vector<std::string> merged(const std::vector<std::string>& changes) {
  std::vector<std::string> all = changes;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view key = key_of(*variable);
    const bool changed = std::any_of(changes.begin(), changes.end(), [&](const auto& c) { return key_of(c) == key; });
    if (!changed && key != kHarnessVariable) all.emplace_back(*variable);
  }
  return all;
}

class Supervisor {
 public:
  Supervisor(std::string folder, Order order) : folder_(std::move(folder)), order_(std::move(order)) {
    report_.launch_id = order_.launch_id;
    sigset_t wanted;
    sigemptyset(&wanted);
    for (int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&wanted, number);
    sigprocmask(SIG_BLOCK, &wanted, nullptr);
    signals_ = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
  }

  Report run() {
    report_.started_utc_ns = clock_ns(CLOCK_REALTIME);
    report_.started_mono_ns = clock_ns(CLOCK_MONOTONIC);
    if (start_all()) watch();
    finish();
    if (order_.watch_memory) report_.peak_tree_rss_bytes = peak_memory();
    report_.ended_utc_ns = clock_ns(CLOCK_REALTIME);
    report_.ended_mono_ns = clock_ns(CLOCK_MONOTONIC);
    return report_;
  }

 private:
  bool start_all() {
    const std::string us = fmt::format("{}={}", kSupervisorVariable, to_text(identify(getpid())));
    for (Command command : order_.commands) {
      command.environment.push_back(us);
      command.environment.push_back(fmt::format("{}={}", kLaunchVariable, order_.launch_id));
      command.environment = merged(command.environment);
      const pid_t pid = start(folder_, command, report_.start_error);
      if (pid < 0) {
        report_.ended_by = "start_failed";
        return false;
      }
      report_.exits.push_back({command.name, pid, {}, {}, 0});
    }
    return true;
  }

  // Until the launch's own processes have ended, or something says that they must.
  void watch() {
    Watch files(folder_, order_, now());
    double bad_since = 0;
    while (running() > 0 && report_.ended_by.empty()) {
      wait_a_little();
      if (order_.watch_memory) memory_.look(now());
      if (report_.ended_by.empty()) judge(files, bad_since);
    }
    if (report_.ended_by.empty()) report_.ended_by = "itself";
  }

  void judge(Watch& files, double& bad_since) {
    if (running() == 0) return;
    if (bad_since == 0 && ended_badly()) bad_since = now();
    if (bad_since > 0 && now() - bad_since > order_.deadlines.stop) {
      report_.ended_by = "peer_lost";
      return;
    }
    // Once a rank has died, its peers' waiting is explained; they get the stop deadline to say so themselves.
    const std::string passed = bad_since > 0 ? "" : files.poll(now());
    if (passed.empty()) return;
    report_.ended_by = "deadline " + passed;
    report_.waiting = files.waiting();
  }

  // Sleeps until a child ends, the harness's pipe closes, a signal comes, or the poll interval is over.
  void wait_a_little() {
    pollfd waits[2] = {{kPipe, POLLIN, 0}, {signals_, POLLIN, 0}};
    if (poll(waits, 2, kPollMs) > 0) {
      if (waits[0].revents != 0) report_.ended_by = "harness";
      signalfd_siginfo info;
      while (read(signals_, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGTERM) report_.ended_by = "harness";
      }
    }
    reap();
  }

  void reap() {
    int status = 0;
    rusage used{};
    for (pid_t pid; (pid = wait4(-1, &status, WNOHANG, &used)) > 0;) {
      for (Exit& exit : report_.exits) {
        if (exit.pid != pid || exit.code || exit.signal) continue;
        if (WIFEXITED(status)) exit.code = WEXITSTATUS(status);
        if (WIFSIGNALED(status)) exit.signal = WTERMSIG(status);
        exit.peak_rss_bytes = int64_t{used.ru_maxrss} * 1024;
      }
    }
  }

  // What ended before the first look is known by its largest process alone.
  int64_t peak_memory() const {
    int64_t peak = memory_.peak_bytes();
    for (const Exit& exit : report_.exits) peak = std::max(peak, exit.peak_rss_bytes);
    return peak;
  }

  int64_t running() const {
    return std::count_if(report_.exits.begin(), report_.exits.end(),
                         [](const Exit& e) { return !e.code && !e.signal; });
  }
  bool ended_badly() const {
    return std::any_of(report_.exits.begin(), report_.exits.end(),
                       [](const Exit& e) { return e.signal || (e.code && *e.code != 0); });
  }

  // Leaves no descendant. Where the launch ended itself, what is still there was leaked by it.
  void finish() {
    if (report_.ended_by == "itself") wait_until_empty(kAfterglow, 0);
    const std::vector<pid_t> rest = descendants(getpid());
    if (report_.ended_by == "itself") report_.left_behind = static_cast<int64_t>(rest.size());
    if (!rest.empty()) {
      report_.needed = "SIGTERM";
      if (!wait_until_empty(order_.deadlines.stop, SIGTERM)) {
        report_.needed = "SIGKILL";
        wait_until_empty(kKillPatience, SIGKILL);
      }
    }
    reap();
    report_.left = static_cast<int64_t>(descendants(getpid()).size());
  }

  // Signals each descendant once, those that appear meanwhile too (SIGKILL: each time). True when none is left.
  bool wait_until_empty(double seconds, int signal) {
    std::vector<pid_t> told;
    for (const double end = now() + seconds;;) {
      reap();
      const std::vector<pid_t> rest = descendants(getpid());
      if (rest.empty()) return true;
      for (pid_t pid : rest) {
        const bool known = std::find(told.begin(), told.end(), pid) != told.end();
        if (signal == 0 || (known && signal != SIGKILL)) continue;
        kill(pid, signal);
        if (!known) told.push_back(pid);
        if (!known) kill(pid, SIGCONT);  // a stopped process would not see SIGTERM
      }
      if (now() > end) return false;
      poll(nullptr, 0, 10);
    }
  }

  std::string folder_;
  Order order_;
  Report report_;
  TreeMemory memory_;
  int signals_ = -1;
};

}  // namespace

Report supervise(const std::string& folder) {
  Supervisor supervisor(folder, read_order(folder));
  Report report = supervisor.run();
  write_report(folder, report);
  return report;
}

}  // namespace lockstep::supervisor
