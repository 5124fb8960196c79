#include "harness/exec/measure.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "adapters/contract/plural.h"
#include "harness/exec/experiment.h"
#include "harness/exec/timeline.h"
#include "results/json/utf8.h"
#include "results/report/figures.h"

namespace lockstep::exec {
namespace {

constexpr const char* kFiles[] = {"stdout.command.log", "stderr.command.log"};
constexpr size_t kShownLines = 5, kShownWidth = 120;
constexpr int64_t kMostSteps = 10'000'000;  // more come from an expression that takes something else for the step

// A line as a message may hold it.
std::string shown(const Line& line) { return json::printable(report::cut(line.text, kShownWidth)); }

// Where no line, or hardly one, tells a step: which formats were tried, what the log looks like, what to do.
std::string nothing_found(const Reading& reading, const std::vector<Line>& lines, const std::string& what,
                          const std::string& run_folder) {
  std::string text = fmt::format(
      "{}; lockstep exec --log-test {}/{} shows what matches, --log 'iter {{step}}: loss "
      "{{loss}}' names an expression of your own",
      what, run_folder, kFiles[0]);
  if (!reading.unmatched.empty()) text += "\nthe first lines that did not match:";
  for (size_t i = 0; i < std::min(kShownLines, reading.unmatched.size()); ++i) {
    text += "\n    " + shown(lines[reading.unmatched[i]]);
  }
  return text;
}

// The table's names, or the expression that was given.
std::string formats_text(const Reading& reading) {
  if (reading.format.source == kGiven) return reading.format.expressions.front();
  if (reading.format.name != "auto") return reading.format.name;
  std::string all;
  for (const LogFormat& format : formats()) all += (all.empty() ? "" : ", ") + format.name;
  return "any of " + all;
}

// Why the steps are too few, or empty.
std::string too_few(const Reading& reading, size_t lines, int64_t steps, int64_t warmup) {
  if (reading.points.empty()) {
    return fmt::format("0 of {} lines match {}", lines, formats_text(reading));
  }
  if (steps > kMostSteps) {
    return fmt::format("steps from {} to {} by {}: more than {} cannot be right", reading.points.front().step,
                       reading.points.back().step, formats_text(reading), kMostSteps);
  }
  if (steps - warmup >= 2) return "";
  return fmt::format("{} of {} match {}: {} after the first line, {} of them warm-up; at least 2 must be left",
                     reading.points.size(), plural(static_cast<int64_t>(lines), "line"), formats_text(reading),
                     plural(steps, "step"), warmup);
}

void add_non_finite(Measured& out, const Reading& reading, const std::vector<Line>& lines) {
  for (const Point& point : reading.points) {
    if (!point.loss || std::isfinite(*point.loss)) continue;
    const Line& line = lines[point.loss_line];
    out.run.ranks[0].events.push_back(
        {line.arrived_ns,
         contract::Error{"non_finite_loss",
                         fmt::format("step {}: {}:{}: {}", point.step, kFiles[line.file], line.number, shown(line))}});
    return;
  }
}

void add_marks(Measured& out, const Reading& reading, const Timeline& timeline) {
  out.marks.push_back(fmt::format("steps by {}, {}", reading.format.name, to_text(timeline.source)));
  if (reading.counted) out.marks.emplace_back("each line counts as a step");
  if (timeline.in_bunches) out.marks.emplace_back("lines in bunches (buffered output)");
}

}  // namespace

Measured measure(const std::filesystem::path& folder, const store::LaunchRecord& record) {
  const Experiment experiment = experiment_of(record.cell);
  const std::vector<Line> lines = read_lines(folder);
  Reading reading = read_as(experiment.log, lines);
  Measured out;
  out.run.ranks.push_back({kFiles[0], "worker", 0, {}, 0, false});
  out.steps = reading.points.empty() ? 0 : reading.points.back().step - reading.points.front().step;
  out.warmup = experiment.warmup.value_or(default_warmup(out.steps));
  add_non_finite(out, reading, lines);
  const std::string why = too_few(reading, lines.size(), out.steps, out.warmup);
  if (!why.empty()) {
    out.problems.push_back({kFiles[0], "no_steps", nothing_found(reading, lines, why, record.launch.run_folder)});
    return out;
  }
  if (!reading.points[0].samples) reading.points[0].samples = experiment.samples;
  if (!reading.points[0].tokens) reading.points[0].tokens = experiment.tokens;
  Timeline timeline = timeline_of(reading, lines);
  add_marks(out, reading, timeline);
  auto& events = out.run.ranks[0].events;
  events.insert(events.end(), timeline.steps.begin(), timeline.steps.end());
  for (const LogMetric& metric : reading.metrics) {
    events.push_back({0, contract::Metric{metric.name, metric.step, metric.value, ""}});
  }
  return out;
}

}  // namespace lockstep::exec
