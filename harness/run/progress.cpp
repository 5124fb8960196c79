#include "harness/run/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/cell_words.h"
#include "results/report/figures.h"

namespace lockstep::run {
namespace {

using store::LaunchMode;
using store::LaunchStatus;

constexpr double kBarSeconds = 1, kLineSeconds = 60;

const char* word(LaunchStatus status) { return status == LaunchStatus::finished ? "ok" : store::to_text(status); }

std::string where(const PlannedLaunch& launch) {
  return launch.mode == LaunchMode::time ? fmt::format("block {}", launch.block + 1) : store::to_text(launch.mode);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Progress::Progress(std::vector<PlannedLaunch> todo, Print print, bool terminal, int width)
    : todo_(std::move(todo)), print_(std::move(print)), terminal_(terminal), width_(width) {}

// What is left costs what launches of the same cell have cost, else the mean of all.
double Progress::left() const {
  double seconds = 0;
  for (size_t i = done_; i < todo_.size(); ++i) {
    const auto known = cells_.find(todo_[i].cell);
    if (known != cells_.end()) {
      seconds += known->second.first / static_cast<double>(known->second.second);
    } else if (done_ > 0) {
      seconds += spent_ / static_cast<double>(done_);
    }
  }
  return seconds;
}

void Progress::clear() {
  if (bar_shown_) print_("\r\x1b[K");
  bar_shown_ = false;
}

void Progress::say(const std::string& line) {
  clear();
  print_(line + "\n");
}

void Progress::bar(const std::string& what) {
  if (!terminal_) return;
  clear();
  constexpr size_t kCells = 20;
  const size_t filled = todo_.empty() ? 0 : done_ * kCells / todo_.size();
  std::string line = fmt::format("[{}{}] {}/{}  {}", std::string(filled, '#'), std::string(kCells - filled, '.'), done_,
                                 todo_.size(), what);
  if (done_ > 0) line += "  ETA " + report::duration_text(left());
  print_(line.substr(0, static_cast<size_t>(std::max(20, width_ - 1))));
  bar_shown_ = true;
}

void Progress::begin(const PlannedLaunch& launch) {
  told_s_ = 0;
  bar(launch.cell + "  " + where(launch));
}

void Progress::still(const PlannedLaunch& launch, double seconds) {
  if (seconds - told_s_ < (terminal_ ? kBarSeconds : kLineSeconds)) return;
  told_s_ = seconds;
  const std::string line =
      fmt::format("{}  {}  runs for {}", launch.cell, where(launch), report::duration_text(seconds));
  if (terminal_) {
    bar(line);
  } else {
    say(fmt::format("[{}/{}] ..  {}", done_ + 1, todo_.size(), line));
  }
}

void Progress::end(const PlannedLaunch& launch, const store::LaunchRecord& record, bool unequal,
                   const snapshot::LaunchFigures& figures, double seconds) {
  ++done_;
  spent_ += seconds;
  auto& cell = cells_[launch.cell];
  cell.first += seconds;
  ++cell.second;
  const std::string total = std::to_string(todo_.size());
  std::string line = fmt::format("[{:>{}}/{}] {:<3} {}  {}", done_, total.size(), total, word(record.launch.status),
                                 launch.cell, where(launch));
  if (record.launch.status == LaunchStatus::finished) {
    if (!record.evaluations.empty()) {
      const store::EvaluationRow& last = record.evaluations.back();
      line += fmt::format("  {} {:.4f} after {} steps", last.metric, last.value, last.step);
    }
    const std::string rate = launch.mode == LaunchMode::time ? report::rate_text(figures) : "";
    line += (rate.empty() ? "" : "  " + rate) + "  " + report::duration_text(seconds);
    if (unequal) line += "  equal work FAILED";
  } else {
    line += fmt::format("  {}: {}", record.launch.error_kind, first_line(record.launch.error_message));
  }
  if (done_ < todo_.size()) line += "  ETA " + report::duration_text(left());
  say(line);
}

}  // namespace lockstep::run
