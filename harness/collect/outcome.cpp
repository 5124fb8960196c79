#include "harness/collect/outcome.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>

#include <fstream>
#include <iterator>

namespace lockstep::collect {
namespace {

using contract::RunEvents;
using store::LaunchStatus;
using supervisor::Report;

std::optional<Outcome> unsupported(const RunEvents& run) {
  for (const contract::RankEvents& rank : run.ranks) {
    if (const auto* answer = rank.first<contract::Unsupported>()) {
      return Outcome{LaunchStatus::skipped, "unsupported", answer->term + ": " + answer->reason};
    }
  }
  return std::nullopt;
}

// A rank that lost its peer only repeats what another one knows better.
std::optional<Outcome> own_error(const RunEvents& run) {
  std::optional<Outcome> found;
  for (const contract::RankEvents& rank : run.ranks) {
    const auto* error = rank.first<contract::Error>();
    if (error == nullptr) continue;
    if (!found || (found->kind == "peer_lost" && error->kind != "peer_lost")) {
      found = Outcome{LaunchStatus::failed, error->kind, fmt::format("rank {}: {}", rank.rank, error->message)};
    }
  }
  return found;
}

std::optional<Outcome> bad_exit(const Report& report) {
  std::optional<Outcome> coded;
  for (const supervisor::Exit& exit : report.exits) {
    // Who was ended by us because a peer had died says nothing new.
    if (exit.signal && (report.ended_by == "itself" || (*exit.signal != SIGTERM && *exit.signal != SIGKILL))) {
      const char* name = sigabbrev_np(static_cast<int>(*exit.signal));
      return Outcome{
          LaunchStatus::failed, "killed",
          fmt::format("{} was ended by SIG{}", exit.name, name != nullptr ? name : std::to_string(*exit.signal))};
    }
    if (!coded && exit.code && *exit.code != 0) {
      coded =
          Outcome{LaunchStatus::failed, "internal", fmt::format("{} ended with exit code {}", exit.name, *exit.code)};
    }
  }
  return coded;
}

}  // namespace

Outcome judge(const std::optional<Report>& report, const RunEvents& run,
              const std::vector<contract::EventProblem>& problems) {
  if (!report)
    return {LaunchStatus::failed, "killed", "the supervisor of the launch was killed; its processes were ended"};
  if (report->ended_by == "harness") return {LaunchStatus::interrupted, "killed", "interrupted"};
  if (!report->start_error.empty()) return {LaunchStatus::failed, "start_failed", report->start_error};
  if (auto outcome = unsupported(run)) return *outcome;
  if (auto outcome = own_error(run)) return *outcome;
  if (report->ended_by.starts_with("deadline")) {
    return {LaunchStatus::failed, "deadline", fmt::format("{}: {}", report->ended_by, report->waiting)};
  }
  if (auto outcome = bad_exit(*report)) return *outcome;
  if (report->ended_by == "peer_lost") return {LaunchStatus::failed, "peer_lost", "a process ended badly"};
  if (!problems.empty()) {
    const contract::EventProblem& first = problems.front();
    return {LaunchStatus::failed, first.kind, first.file + ": " + first.text};
  }
  return {};
}

std::string last_lines(const std::filesystem::path& path, int lines) {
  constexpr std::streamoff kMost = 1 << 16;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - kMost));
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  while (!text.empty() && text.back() == '\n') text.pop_back();
  size_t at = text.size();
  for (int i = 0; i < lines && at != std::string::npos && at > 0; ++i) at = text.rfind('\n', at - 1);
  return at == std::string::npos || at == 0 ? text : text.substr(at + 1);
}

}  // namespace lockstep::collect
