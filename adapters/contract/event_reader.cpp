#include "adapters/contract/event_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "adapters/contract/failure.h"

namespace lockstep::contract {
namespace {

constexpr size_t kKeptBytes = 200;

/// "events.rank3.jsonl" -> worker 3; "events.server0.jsonl" -> server 0; false for other names.
bool split_name(std::string_view name, std::string& role, int& rank) {
  constexpr std::string_view kHead = "events.", kTail = ".jsonl";
  if (!name.starts_with(kHead) || !name.ends_with(kTail) || name.size() <= kHead.size() + kTail.size()) return false;
  const std::string_view middle = name.substr(kHead.size(), name.size() - kHead.size() - kTail.size());
  const size_t digit = middle.find_last_not_of("0123456789") + 1;
  if (digit == 0 || digit == middle.size()) return false;
  role = middle.substr(0, digit) == "rank" ? "worker" : std::string(middle.substr(0, digit));
  return std::from_chars(middle.data() + digit, middle.data() + middle.size(), rank).ec == std::errc();
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw Failure("bad_events", fmt::format("{}: cannot be read", path.string()));
  return text.str();
}

}  // namespace

RankEvents parse_events(std::string_view text, const std::string& file, std::vector<BadLine>& bad) {
  RankEvents out;
  out.file = file;
  split_name(file, out.role, out.rank);
  int64_t number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    ParsedLine parsed = parse_line(line);
    if (parsed.event) {
      out.events.push_back(std::move(*parsed.event));
    } else if (end == std::string_view::npos) {
      out.cut = true;
    } else if (parsed.problem.empty()) {
      ++out.unknown;
    } else {
      bad.push_back({file, number, std::string(line.substr(0, kKeptBytes)), parsed.problem});
    }
  }
  return out;
}

RunEvents read_run(const std::filesystem::path& folder) {
  std::map<std::pair<std::string, int>, std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    std::string role;
    int rank = 0;
    // Workers sort first.
    if (split_name(entry.path().filename().string(), role, rank)) {
      files[{role == "worker" ? "" : role, rank}] = entry.path();
    }
  }
  if (error) throw Failure("bad_events", fmt::format("{}: cannot be listed: {}", folder.string(), error.message()));
  RunEvents run;
  for (const auto& [key, path] : files) {
    const std::string text = file_text(path);
    if (!text.empty()) run.ranks.push_back(parse_events(text, path.filename().string(), run.bad));
  }
  return run;
}

std::optional<int64_t> peak_pss_bytes(const RunEvents& run) {
  std::map<std::pair<std::string, int64_t>, int64_t> processes;
  for (const RankEvents& rank : run.ranks) {
    const Hello* hello = rank.first<Hello>();
    if (!hello) return std::nullopt;
    int64_t& peak = processes.try_emplace({hello->host, hello->pid}, 0).first->second;
    for (const Memory& memory : rank.all<Memory>()) {
      if (memory.category == "pss") peak = std::max(peak, memory.peak);
    }
  }
  int64_t sum = 0;
  for (const auto& [process, peak] : processes) {
    if (peak == 0) return std::nullopt;
    sum += peak;
  }
  return processes.empty() ? std::nullopt : std::optional(sum);
}

}  // namespace lockstep::contract
