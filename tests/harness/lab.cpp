#include "tests/harness/lab.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "harness/supervisor/process_tree.h"

namespace lockstep::testing {
namespace fs = std::filesystem;

Lab::Lab() {
  std::string name = (fs::temp_directory_path() / "lockstep-lab-XXXXXX").string();
  folder = mkdtemp(name.data());
  store_file = folder / "lockstep.db", runs = folder / "lockstep-runs";
}

Lab::~Lab() {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

std::vector<std::string> Lab::command(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {"/usr/bin/env", "-C", folder.string(), LOCKSTEP_BIN_DIR "/lockstep"});
  // What stands behind a "--" belongs to a command of the user's own.
  const auto rest = std::find(arguments.begin(), arguments.end(), "--");
  arguments.insert(rest, {"--store", store_file.string(), "--runs", runs.string()});
  return arguments;
}

launch::Captured Lab::lockstep(std::vector<std::string> arguments, double seconds) const {
  return launch::capture(command(std::move(arguments)), seconds);
}

pid_t Lab::begin(std::vector<std::string> arguments) const {
  std::vector<std::string> all = command(std::move(arguments));
  std::vector<char*> pointers;
  for (std::string& text : all) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  const std::string log = (folder / "begin.log").string();
  const pid_t child = fork();
  if (child != 0) return child;
  const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  dup2(file, 1);
  dup2(file, 2);
  execv(pointers[0], pointers.data());
  _exit(127);
}

void make_home(const fs::path& home, const std::string& git, const std::string& factor) {
  const fs::path source = LOCKSTEP_SOURCE_DIR, adapter = home / "adapters" / "fake";
  fs::create_directories(adapter);
  fs::create_directory_symlink(source / "workloads", home / "workloads");
  fs::copy(source / "adapters" / "reference", home / "adapters" / "reference");
  std::string manifest = text_of(source / "adapters" / "fake" / "manifest.json");
  const std::string ours = "bin:lockstep-fake-worker";
  manifest.replace(manifest.find(ours), ours.size(), "worker.sh");
  std::ofstream(adapter / "manifest.json") << manifest;
  std::ofstream(adapter / "worker.sh") << "#!/bin/sh\nLOCKSTEP_FAKE_GIT=" << git << " LOCKSTEP_FAKE_FACTOR=" << factor
                                       << " exec " LOCKSTEP_BIN_DIR "/lockstep-fake-worker \"$@\"\n";
  fs::permissions(adapter / "worker.sh", fs::perms::owner_all);
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

int wait_for(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

store::Store Lab::store() const { return store::Store::open(store_file.string(), store::OpenMode::read_write); }

std::vector<pid_t> Lab::processes() const {
  std::vector<pid_t> found;
  for (pid_t pid : supervisor::all_processes()) {
    std::error_code gone;
    const fs::path where = fs::read_symlink("/proc/" + std::to_string(pid) + "/cwd", gone);
    if (!gone && where.string().starts_with(runs.string()) && supervisor::identify(pid).pid != 0) found.push_back(pid);
  }
  return found;
}

}  // namespace lockstep::testing
