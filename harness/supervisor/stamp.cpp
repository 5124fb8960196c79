#include "harness/supervisor/stamp.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace lockstep::supervisor {
namespace {

constexpr int kStampPollMs = 50;
// After the command's end, children that it left may hold the pipes open: what they still say within this is kept.
constexpr int kQuietPolls = 4;

/// One output of the command on its way to the log.
struct Stream {
  int from = -1, to = -1, arrivals = -1;
};

void put_all(int to, const char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t done = write(to, bytes, count);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return;  // a full disk must not end the training; the log is shorter then
    bytes += done, count -= static_cast<size_t>(done);
  }
}

// Takes one piece; false at the end of the stream.
bool pass_on(Stream& stream) {
  char bytes[1 << 16];
  const ssize_t count = read(stream.from, bytes, sizeof bytes);
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  put_all(stream.to, bytes, static_cast<size_t>(count));
  char line[64];
  const int length =
      std::snprintf(line, sizeof line, "%lld %lld\n",
                    static_cast<long long>(now.tv_sec) * 1'000'000'000 + static_cast<long long>(now.tv_nsec),
                    static_cast<long long>(count));
  put_all(stream.arrivals, line, static_cast<size_t>(length));
  return true;
}

// The write end of the command's pipe, or -1.
int open_stream(Stream& stream, int to, const char* arrivals) {
  int ends[2];
  stream.to = to;
  stream.arrivals = open(arrivals, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (stream.arrivals < 0 || pipe2(ends, O_CLOEXEC) != 0) return -1;
  stream.from = ends[0];
  return ends[1];
}

// In the child: SIGTERM reaches the command itself, and it never outlives us.
[[noreturn]] void become_command(const char* directory, char** arguments, int out, int err, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  for (int number : {SIGTERM, SIGINT, SIGHUP, SIGPIPE}) signal(number, SIG_DFL);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  if (chdir(directory) != 0) {
    dprintf(STDERR_FILENO, "%s: %s\n", directory, std::strerror(errno));
    _exit(127);
  }
  execvp(arguments[0], arguments);
  dprintf(STDERR_FILENO, "%s: cannot be started: %s\n", arguments[0], std::strerror(errno));
  _exit(127);
}

// Until both streams ended, or the command did and they are quiet. Returns the command's wait status.
int follow(Stream (&streams)[2], pid_t child) {
  int status = 0, quiet = 0;
  bool ended = false;
  while (!ended || quiet < kQuietPolls) {
    pollfd waits[2] = {{streams[0].from, POLLIN, 0}, {streams[1].from, POLLIN, 0}};
    const int ready = poll(waits, 2, kStampPollMs);  // a negative descriptor is left out
    for (int i = 0; i < 2; ++i) {
      if (waits[i].revents == 0 || pass_on(streams[i])) continue;
      close(streams[i].from);
      streams[i].from = -1;
    }
    const bool closed = streams[0].from < 0 && streams[1].from < 0;
    if (!ended) ended = waitpid(child, &status, closed ? 0 : WNOHANG) == child;
    if (ended && closed) break;
    if (ended && ready == 0) ++quiet;
  }
  return status;
}

}  // namespace

int stamp(const char* directory, char** arguments) {
  // We live as long as the command: it decides what a signal to the whole launch means.
  for (int number : {SIGTERM, SIGINT, SIGHUP, SIGPIPE}) signal(number, SIG_IGN);
  Stream streams[2];
  const int out = open_stream(streams[0], STDOUT_FILENO, kOutArrivals);
  const int err = open_stream(streams[1], STDERR_FILENO, kErrArrivals);
  if (out < 0 || err < 0) {
    std::perror("lockstep-supervisor stamp");
    return 126;
  }
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) become_command(directory, arguments, out, err, parent);
  close(out);
  close(err);
  if (child < 0) {
    std::perror("fork");
    return 126;
  }
  const int status = follow(streams, child);
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  prctl(PR_SET_DUMPABLE, 0);  // the command has left its core; ours says nothing
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}

}  // namespace lockstep::supervisor
