#include "tests/structure/source_tree.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
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

}  // namespace

std::vector<std::string> project_files() {
  std::vector<std::string> files = files_by_git();
  return files.empty() ? files_by_walk() : files;
}

std::string content(const std::string& file) {
  std::ifstream in(kRoot / file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Include> includes(std::string_view text) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*(["<])([^">]+)[">].*)");
  std::vector<Include> out;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::smatch match;
    if (line.find("include") == std::string::npos || !std::regex_match(line, match, kInclude)) continue;
    out.push_back({match[2], match[1] == "\"", number});
  }
  return out;
}

std::vector<std::string> links(std::string_view markdown) {
  static const std::regex kLink(R"(\]\(([^)\s#]+)[^)]*\))");
  const std::string text(markdown);
  std::vector<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), kLink), end; it != end; ++it) {
    const std::string target = (*it)[1];
    if (target.find(':') == std::string::npos) out.push_back(target);
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
