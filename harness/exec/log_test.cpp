#include "harness/exec/log_test.h"

#include <fmt/format.h>

#include "adapters/contract/plural.h"
#include "harness/exec/timeline.h"
#include "results/json/writer.h"
#include "results/report/figures.h"

namespace lockstep::exec {
namespace {

constexpr size_t kShown = 10, kLineWidth = 100;

/// Everything that both outputs tell.
struct Findings {
  std::vector<Line> lines;
  std::vector<Reading> tried;
  Reading chosen;
};

Findings findings_of(const LogTest& test) {
  Findings out;
  out.lines = split(test.text, "");
  if (test.log == "auto") out.tried = read_all(out.lines);
  out.chosen = read_as(test.log, out.lines);
  return out;
}

int64_t steps_of(const Reading& reading) {
  return reading.points.empty() ? 0 : reading.points.back().step - reading.points.front().step;
}

std::string range_of(const Reading& reading) {
  if (reading.points.empty()) return "-";
  return fmt::format("{} to {}", reading.points.front().step, reading.points.back().step);
}

void add_formats(report::Columns& columns, const Findings& found) {
  columns.add({"format", "lines", "steps told", "from, to", ""});
  const auto add = [&](const Reading& reading, bool chosen) {
    columns.add({reading.format.name, std::to_string(reading.matched), std::to_string(reading.points.size()),
                 range_of(reading), chosen ? "<- read" : ""});
  };
  for (const Reading& reading : found.tried) add(reading, reading.format.name == found.chosen.format.name);
  if (found.tried.empty()) add(found.chosen, true);
}

std::string point_text(const char* title, const Point& point, const std::vector<Line>& lines) {
  std::string text = fmt::format("{} step {}, line {}: {}\n", title, point.step, lines[point.line].number,
                                 report::cut(lines[point.line].text, kLineWidth));
  if (point.loss) text += fmt::format("    loss {}\n", *point.loss);
  if (point.samples) text += fmt::format("    {} samples a step\n", *point.samples);
  if (point.tokens) text += fmt::format("    {} tokens a step\n", *point.tokens);
  return text;
}

std::string times_text(const Reading& reading) {
  switch (source_of(reading)) {
    case TimeSource::mean:
      return "the log's own mean over the steps since the line before";
    case TimeSource::own:
      return "the log's own time of each step";
    case TimeSource::arrival:
      break;
  }
  return "when lines arrive, divided by the steps between them";
}

std::string chosen_text(const Findings& found) {
  const Reading& reading = found.chosen;
  if (reading.points.empty()) {
    return "no line tells a step; --log 'iter {step}: loss {loss}' names an expression of your own (docs/exec.md)\n";
  }
  std::string text = point_text("first", reading.points.front(), found.lines) +
                     point_text("last ", reading.points.back(), found.lines);
  const int64_t steps = steps_of(reading);
  text += fmt::format("{} after the first line; warm-up would be {} of them (--warmup N)\n", plural(steps, "step"),
                      default_warmup(steps));
  text += "times: " + times_text(reading) + "\n";
  if (reading.counted) text += "no line has a step's number: each line counts as one step\n";
  if (reading.repeated > 0) text += fmt::format("{} lines tell the same step again\n", reading.repeated);
  if (reading.backwards > 0) text += fmt::format("{} lines tell an earlier step: left out\n", reading.backwards);
  if (reading.other_total > 0) text += fmt::format("{} lines have another total: left out\n", reading.other_total);
  return text;
}

}  // namespace

std::string to_text(const LogTest& test) {
  const Findings found = findings_of(test);
  std::string out = fmt::format("{}: {} lines\n", test.file, found.lines.size());
  report::Columns columns;
  add_formats(columns, found);
  out += columns.text(1) + chosen_text(found);
  const std::vector<size_t>& rest = found.chosen.unmatched;
  out += fmt::format("not matched: {} lines{}\n", rest.size(), rest.size() > kShown ? ", the first:" : "");
  for (size_t i = 0; i < std::min(kShown, rest.size()); ++i) {
    const Line& line = found.lines[rest[i]];
    out += fmt::format("{:>6}: {}\n", line.number, report::cut(line.text, kLineWidth));
  }
  return out;
}

std::string to_json(const LogTest& test) {
  const Findings found = findings_of(test);
  const Reading& chosen = found.chosen;
  json::Writer out;
  out.open_object().member("format", "lockstep.log_test").member("version", 1).member("file", test.file);
  out.member("lines", found.lines.size()).key("formats").open_array();
  for (const Reading& r : found.tried) {
    out.open_object().member("name", r.format.name).member("lines", r.matched);
    out.member("steps_told", r.points.size()).close();
  }
  out.close().member("read", chosen.format.name).member("matched", chosen.matched);
  out.member("steps", steps_of(chosen)).member("times", to_text(source_of(chosen)));
  const auto point = [&](const char* name, const Point& p) {
    out.key(name).open_object().member("step", p.step).member("line", found.lines[p.line].number);
    out.member("loss", p.loss).member("samples", p.samples).member("tokens", p.tokens).close();
  };
  if (!chosen.points.empty()) point("first", chosen.points.front()), point("last", chosen.points.back());
  out.member("repeated", chosen.repeated).member("backwards", chosen.backwards);
  out.member("other_total", chosen.other_total).key("not_matched").open_array();
  for (const size_t i : chosen.unmatched) {
    out.open_object().member("line", found.lines[i].number).member("text", found.lines[i].text).close();
  }
  return out.close().close().text();
}

}  // namespace lockstep::exec
