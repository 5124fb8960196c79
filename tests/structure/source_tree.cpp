#include "tests/structure/source_tree.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>

namespace lockstep::structure {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = LOCKSTEP_SOURCE_DIR;

std::vector<std::string> files_by_git() {
  const std::string command = "git -C '" + kRoot.string() + "' ls-files -co --exclude-standard 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string all;
  std::array<char, 4096> block;
  for (size_t n; pipe && (n = fread(block.data(), 1, block.size(), pipe.get())) > 0;) all.append(block.data(), n);
  std::vector<std::string> out;
  std::istringstream lines(all);
  for (std::string line; std::getline(lines, line);) {
    if (fs::is_regular_file(kRoot / line)) out.push_back(line);
  }
  return out;
}

std::vector<std::string> files_by_walk() {
  static const std::set<std::string> kMade = {"build",           ".git",           "lockstep-runs",
                                              "lockstep-report", "lockstep-check", "__pycache__"};
  std::vector<std::string> out;
  for (fs::recursive_directory_iterator it(kRoot), end; it != end; ++it) {
    if (it->is_directory() && kMade.count(it->path().filename().string())) it.disable_recursion_pending();
    if (it->is_regular_file()) out.push_back(fs::relative(it->path(), kRoot).string());
  }
  return out;
}

/// Takes blanks, `word` and blanks from the front.
bool take(std::string_view& text, std::string_view word) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return true;
}

}  // namespace

std::vector<std::string> project_files() {
  std::vector<std::string> files = files_by_git();
  return files.empty() ? files_by_walk() : files;
}

std::string content(const std::string& file) {
  std::ifstream in(kRoot / file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// By hand: std::regex is slow to compile, and gcc 12 warns inside it under sanitizers.
std::vector<Include> includes(std::string_view text) {
  std::vector<Include> out;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::string_view rest(line);
    if (!take(rest, "#") || !take(rest, "include")) continue;
    const char close = rest.starts_with("<") ? '>' : '"';
    const size_t end = rest.find(close, 1);
    if (end == rest.npos || !(rest[0] == '<' || rest[0] == '"')) continue;
    out.push_back({std::string(rest.substr(1, end - 1)), close == '"', number});
  }
  return out;
}

std::vector<std::string> links(std::string_view markdown) {
  std::vector<std::string> out;
  for (size_t at = 0; (at = markdown.find("](", at)) != markdown.npos;) {
    at += 2;
    const size_t end = markdown.find_first_of(") #\n", at);
    const std::string_view target = markdown.substr(at, end == markdown.npos ? end : end - at);
    if (!target.empty() && target.find(':') == target.npos) out.emplace_back(target);
  }
  return out;
}

std::vector<std::string_view> words(std::string_view list) {
  std::vector<std::string_view> out;
  while (!list.empty()) {
    const size_t end = std::min(list.find(' '), list.size());
    if (end > 0) out.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return out;
}

}  // namespace lockstep::structure
