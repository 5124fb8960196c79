#include "harness/supervisor/start.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace lockstep::supervisor {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

bool put(const char* path, int flags, int descriptor) {
  const int file = open(path, flags, 0644);
  if (file < 0) return false;
  if (file == descriptor) return true;
  const bool done = dup2(file, descriptor) >= 0;
  close(file);
  return done;
}

// In the child: only async-signal-safe calls, errors go through the pipe as errno.
[[noreturn]] void become(const char* folder, const Command& command, char** arguments, char** environment, pid_t parent,
                         int complain) {
  const int out_flags = O_WRONLY | O_CREAT | O_APPEND;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (chdir(folder) == 0 && put("/dev/null", O_RDONLY, 0) && put(command.out.c_str(), out_flags, 1) &&
      put(command.err.c_str(), out_flags, 2)) {
    for (int fd = 3; fd < 1024; ++fd) {
      if (fd != complain) close(fd);
    }
    execve(arguments[0], arguments, environment);
  }
  const int error = errno;
  if (write(complain, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

}  // namespace

pid_t start(const std::string& folder, const Command& command, std::string& error) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    error = std::string("pipe: ") + std::strerror(errno);
    return -1;
  }
  std::vector<char*> arguments = pointers(command.arguments), environment = pointers(command.environment);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) become(folder.c_str(), command, arguments.data(), environment.data(), parent, ends[1]);
  const int fork_error = errno;
  close(ends[1]);
  int exec_error = 0;
  ssize_t got = 0;
  if (child > 0) {
    do got = read(ends[0], &exec_error, sizeof exec_error);
    while (got < 0 && errno == EINTR);
  }
  close(ends[0]);
  if (child < 0) exec_error = fork_error;
  if (child > 0 && got <= 0) return child;
  if (child > 0) waitpid(child, nullptr, 0);
  error = command.arguments[0] + ": cannot be started: " + std::strerror(exec_error);
  return -1;
}

int redirect(char** arguments) {
  const char* rank = nullptr;
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "RANK"}) {
    if (rank == nullptr) rank = std::getenv(name);
  }
  if (rank == nullptr) rank = "0";
  const std::string out = std::string("stdout.rank") + rank + ".log", err = std::string("stderr.rank") + rank + ".log";
  const int flags = O_WRONLY | O_CREAT | O_APPEND;
  if (!put(out.c_str(), flags, 1) || !put(err.c_str(), flags, 2)) {
    std::perror(out.c_str());
    return 126;
  }
  execv(arguments[0], arguments);
  std::perror(arguments[0]);
  return 127;
}

}  // namespace lockstep::supervisor
