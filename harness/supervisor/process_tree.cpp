#include "harness/supervisor/process_tree.h"

#include <dirent.h>

#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

namespace lockstep::supervisor {
namespace {

struct Stat {
  pid_t parent = 0;
  char state = 0;
  int64_t start_ticks = 0;
};

// /proc/PID/stat (proc(5)): the command in field 2 may hold spaces and brackets, so fields count from the last ')'.
bool read_stat(pid_t pid, Stat& stat) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return false;
  const size_t close = line.rfind(')');
  if (close == std::string::npos) return false;
  std::istringstream fields(line.substr(close + 1));
  fields.imbue(std::locale::classic());
  std::string skipped;
  if (!(fields >> stat.state >> stat.parent)) return false;
  for (int i = 5; i < 22; ++i) fields >> skipped;
  return static_cast<bool>(fields >> stat.start_ticks);
}

bool is_gone(const Stat& stat) { return stat.state == 'Z' || stat.state == 'X'; }

}  // namespace

ProcessId identify(pid_t pid) {
  Stat stat;
  if (pid <= 0 || !read_stat(pid, stat) || is_gone(stat)) return {};
  return {pid, stat.start_ticks};
}

std::string to_text(const ProcessId& id) { return std::to_string(id.pid) + ":" + std::to_string(id.start_ticks); }

ProcessId parse_process_id(const std::string& text) {
  ProcessId id;
  const char* end = text.data() + text.size();
  auto [colon, error] = std::from_chars(text.data(), end, id.pid);
  if (error != std::errc() || colon == end || *colon != ':') return {};
  auto [rest, second] = std::from_chars(colon + 1, end, id.start_ticks);
  return second == std::errc() && rest == end ? id : ProcessId{};
}

bool alive(const ProcessId& id) { return id.pid > 0 && identify(id.pid) == id; }

std::vector<pid_t> all_processes() {
  std::vector<pid_t> pids;
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return pids;
  while (const dirent* entry = readdir(folder)) {
    pid_t pid = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    auto [rest, error] = std::from_chars(entry->d_name, end, pid);
    if (error == std::errc() && rest == end) pids.push_back(pid);
  }
  closedir(folder);
  return pids;
}

std::vector<pid_t> descendants(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  std::map<pid_t, bool> gone;
  for (pid_t pid : all_processes()) {
    Stat stat;
    if (!read_stat(pid, stat)) continue;
    children.emplace(stat.parent, pid);
    gone[pid] = is_gone(stat);
  }
  std::vector<pid_t> found, open{root};
  while (!open.empty()) {
    const pid_t parent = open.back();
    open.pop_back();
    const auto [first, last] = children.equal_range(parent);
    for (auto child = first; child != last; ++child) {
      open.push_back(child->second);
      if (!gone[child->second]) found.push_back(child->second);
    }
  }
  return found;
}

std::string environment_of(pid_t pid, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string key = name + "=";
  for (size_t at = 0; at < all.size();) {
    size_t end = all.find('\0', at);
    if (end == std::string::npos) end = all.size();
    if (all.compare(at, key.size(), key) == 0) return all.substr(at + key.size(), end - at - key.size());
    at = end + 1;
  }
  return "";
}

}  // namespace lockstep::supervisor
