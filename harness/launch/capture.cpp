#include "harness/launch/capture.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>

namespace lockstep::launch {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void become(char** arguments, int out, int err) {
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, 0);
  dup2(out, 1);
  dup2(err, 2);
  execv(arguments[0], arguments);
  _exit(127);
}

// Appends what is there; false at the end of the stream.
bool drain(int descriptor, std::string& text) {
  std::array<char, 4096> block;
  const ssize_t count = read(descriptor, block.data(), block.size());
  if (count > 0) text.append(block.data(), static_cast<size_t>(count));
  return count > 0;
}

void read_both(int out, int err, double seconds, Captured& result) {
  std::array<pollfd, 2> waits{{{out, POLLIN, 0}, {err, POLLIN, 0}}};
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (waits[0].fd >= 0 || waits[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) {
      result.late = true;
      return;
    }
    if (poll(waits.data(), waits.size(), static_cast<int>(left)) <= 0) continue;
    if (waits[0].revents != 0 && !drain(out, result.out)) waits[0].fd = -1;
    if (waits[1].revents != 0 && !drain(err, result.err)) waits[1].fd = -1;
  }
}

}  // namespace

std::string find_executable(const std::string& name) {
  if (name.find('/') != std::string::npos) return std::filesystem::absolute(name).string();
  const char* variable = std::getenv("PATH");
  const std::string path = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find(':', at), path.size());
    const std::string file = path.substr(at, end - at) + "/" + name;
    std::error_code ignored;
    if (end > at && access(file.c_str(), X_OK) == 0 && !std::filesystem::is_directory(file, ignored)) return file;
    at = end + 1;
  }
  return "";
}

Captured capture(const std::vector<std::string>& arguments, double seconds) {
  Captured result;
  std::vector<std::string> texts = arguments;
  texts[0] = find_executable(arguments[0]);
  if (texts[0].empty()) {
    result.err = arguments[0] + ": not found in PATH";
    return result;
  }
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) return result;
  const pid_t child = fork();
  if (child == 0) become(pointers.data(), out[1], err[1]);
  close(out[1]);
  close(err[1]);
  if (child > 0) {
    read_both(out[0], err[0], seconds, result);
    if (result.late) kill(-child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    if (!result.late && WIFEXITED(status)) result.code = WEXITSTATUS(status);
  }
  close(out[0]);
  close(err[0]);
  return result;
}

}  // namespace lockstep::launch
