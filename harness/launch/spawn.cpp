#include "harness/launch/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "adapters/contract/failure.h"
#include "harness/supervisor/process_tree.h"

namespace lockstep::launch {
namespace {

// In the child, between fork and exec: only async-signal-safe calls.
[[noreturn]] void become_supervisor(char** arguments, char** environment, int pipe_end) {
  if (pipe_end == supervisor::kPipe) {
    fcntl(pipe_end, F_SETFD, 0);
  } else {
    dup2(pipe_end, supervisor::kPipe);
  }
  // Whatever else is open here (the store, locks) is no business of a launch.
  for (int fd = supervisor::kPipe + 1; fd < 1024; ++fd) close(fd);
  execve(arguments[0], arguments, environment);
  _exit(127);
}

std::vector<std::string> own_environment() {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) all.emplace_back(*variable);
  all.push_back(
      fmt::format("{}={}", supervisor::kHarnessVariable, supervisor::to_text(supervisor::identify(getpid()))));
  return all;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

Supervised::Supervised(const std::filesystem::path& bin, const std::filesystem::path& folder,
                       const supervisor::Order& order)
    : folder_(folder) {
  supervisor::write_order(folder.string(), order);
  const std::string executable = (bin / "lockstep-supervisor").string();
  if (access(executable.c_str(), X_OK) != 0) {
    throw Failure("start_failed", executable + ": not there or not executable; build the target lockstep-supervisor");
  }
  const std::vector<std::string> arguments{executable, folder.string()}, environment = own_environment();
  std::vector<char*> argv = pointers(arguments), envp = pointers(environment);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Failure("start_failed", std::string("pipe: ") + std::strerror(errno));
  pid_ = fork();
  if (pid_ == 0) become_supervisor(argv.data(), envp.data(), ends[0]);
  const int error = errno;
  close(ends[0]);
  pipe_ = ends[1];
  if (pid_ < 0) {
    close(pipe_);
    throw Failure("start_failed", std::string("fork: ") + std::strerror(error));
  }
  pidfd_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
}

Supervised::~Supervised() {
  stop();
  while (!wait(1000)) {
  }
  if (pidfd_ >= 0) close(pidfd_);
}

void Supervised::stop() {
  if (pipe_ >= 0) close(pipe_);
  pipe_ = -1;
}

bool Supervised::wait(int milliseconds) {
  if (ended_) return true;
  pollfd wait{pidfd_, POLLIN, 0};
  // Without pidfd_open (before Linux 5.3) the poll only paces the waitpid below.
  poll(&wait, pidfd_ >= 0 ? 1 : 0, pidfd_ >= 0 ? milliseconds : std::min(milliseconds, 20));
  ended_ = waitpid(pid_, nullptr, WNOHANG) == pid_;
  return ended_;
}

std::optional<supervisor::Report> Supervised::report() const { return supervisor::read_report(folder_.string()); }

}  // namespace lockstep::launch
