#include "harness/exec/reading.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "harness/exec/expression.h"

namespace lockstep::exec {
namespace {

constexpr size_t kFirstLines = 2000;

using Values = std::map<std::string, double, std::less<>>;

std::optional<double> number_of(std::string_view text) {
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits), [](char c) { return c != ','; });
  if (digits.starts_with('+')) digits.erase(0, 1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}

std::optional<double> find(const Values& values, std::string_view name) {
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

// In `unit`s of a second.
std::optional<double> seconds(const Values& values, std::string_view in_s, std::string_view in_ms) {
  if (const auto value = find(values, in_s)) return value;
  const auto value = find(values, in_ms);
  return value ? std::optional(*value / 1000) : std::nullopt;
}

std::optional<int64_t> step_of(const Values& values) {
  if (const auto step = find(values, "step")) return std::llround(*step);
  const auto epoch = find(values, "epoch"), batch = find(values, "batch"), total = find(values, "total");
  if (!batch) return std::nullopt;
  return std::llround(epoch.value_or(0) * total.value_or(0) + *batch);
}

bool is_metric(std::string_view name) {
  constexpr std::string_view kKnown[] = {"step",    "epoch",  "batch",   "total",   "loss",  "time_s",
                                         "time_ms", "mean_s", "mean_ms", "samples", "tokens"};
  return std::find(std::begin(kKnown), std::end(kKnown), name) == std::end(kKnown);
}

/// The values of one line; none where nothing matched.
struct Match {
  size_t line = 0;
  Values values;
};

std::vector<Match> matches_of(const LogFormat& format, const std::vector<Line>& lines, Reading& out) {
  std::vector<Expression> expressions;
  for (const std::string& text : format.expressions) expressions.emplace_back(written_out(text));
  std::vector<Match> all;
  std::vector<Group> groups;
  for (size_t i = 0; i < lines.size(); ++i) {
    groups.clear();
    for (const Expression& expression : expressions) expression.search(lines[i].text, groups);
    Match match{i, {}};
    for (const Group& group : groups) {
      if (const auto value = number_of(group.text)) match.values.emplace(group.name, *value);
    }
    if (match.values.empty()) {
      out.unmatched.push_back(i);
    } else {
      all.push_back(std::move(match));
    }
  }
  return all;
}

// The number of steps that most lines name; bars of evaluations have others.
std::optional<double> usual_total(const std::vector<Match>& matches) {
  std::map<double, int64_t> votes;
  for (const Match& match : matches) {
    if (const auto total = find(match.values, "total")) ++votes[*total];
  }
  const auto most =
      std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == votes.end() ? std::nullopt : std::optional(most->first);
}

void fill(Point& point, const Match& match) {
  const Values& values = match.values;
  const auto take = [](std::optional<double>& to, const std::optional<double>& from) { to = from ? from : to; };
  if (find(values, "loss")) point.loss_line = match.line;
  take(point.loss, find(values, "loss"));
  take(point.own_s, seconds(values, "time_s", "time_ms"));
  take(point.mean_s, seconds(values, "mean_s", "mean_ms"));
  take(point.samples, find(values, "samples"));
  take(point.tokens, find(values, "tokens"));
}

// Where the line belongs: a new step, the last one again, or nowhere (null).
Point* place(Reading& out, const Match& match) {
  const std::optional<int64_t> told = step_of(match.values);
  if (!told && !out.counted) return out.points.empty() ? nullptr : &out.points.back();
  const int64_t last = out.points.empty() ? 0 : out.points.back().step;
  const int64_t step = told.value_or(last + 1);
  if (out.points.empty() || step > last)
    return &out.points.emplace_back(Point{step, match.line, {}, 0, {}, {}, {}, {}});
  ++(step == last ? out.repeated : out.backwards);
  return step == last ? &out.points.back() : nullptr;
}

}  // namespace

Reading read(const LogFormat& format, const std::vector<Line>& lines) {
  Reading out;
  out.format = format;
  const std::vector<Match> matches = matches_of(format, lines, out);
  out.matched = static_cast<int64_t>(matches.size());
  out.counted = std::none_of(matches.begin(), matches.end(), [](const Match& m) { return step_of(m.values); });
  const std::optional<double> total = usual_total(matches);
  for (const Match& match : matches) {
    if (const auto own = find(match.values, "total"); own && own != total) {
      ++out.other_total;
      continue;
    }
    Point* point = place(out, match);
    if (point == nullptr) continue;
    fill(*point, match);
    for (const auto& [name, value] : match.values) {
      if (is_metric(name)) out.metrics.push_back({point->step, name, value});
    }
  }
  return out;
}

std::vector<Reading> read_all(const std::vector<Line>& lines) {
  std::vector<Reading> all;
  for (const LogFormat& format : formats()) all.push_back(read(format, lines));
  return all;
}

Reading read_as(const std::string& log, const std::vector<Line>& lines) {
  if (log != "auto") return read(format_of(log), lines);
  const std::vector<Line> first(lines.begin(),
                                lines.begin() + static_cast<int64_t>(std::min(lines.size(), kFirstLines)));
  const std::vector<Reading> all = read_all(first);
  const auto best = std::max_element(
      all.begin(), all.end(), [](const Reading& a, const Reading& b) { return a.points.size() < b.points.size(); });
  if (best->points.empty()) {
    Reading none;
    none.format.name = "auto";
    for (size_t i = 0; i < lines.size(); ++i) none.unmatched.push_back(i);
    return none;
  }
  return first.size() == lines.size() ? *best : read(best->format, lines);
}

}  // namespace lockstep::exec
