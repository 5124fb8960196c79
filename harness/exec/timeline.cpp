#include "harness/exec/timeline.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::exec {
namespace {

bool is_time(const std::optional<double>& seconds) { return seconds && std::isfinite(*seconds) && *seconds >= 0; }

// The loss of each point: its own, else the next one that is known (told every few steps), else the last.
std::vector<std::optional<double>> losses_of(const std::vector<Point>& points) {
  std::vector<std::optional<double>> losses(points.size());
  std::optional<double> known;
  for (size_t i = points.size(); i-- > 0;) losses[i] = known = points[i].loss ? points[i].loss : known;
  for (size_t i = 1; i < points.size(); ++i) {
    if (!losses[i]) losses[i] = losses[i - 1];
  }
  return losses;
}

int64_t whole(const std::optional<double>& value, int64_t otherwise) {
  return value && std::isfinite(*value) ? std::llround(*value) : otherwise;
}

// Nanoseconds from one point to the next.
double length(const Timeline& timeline, const Point& point, int64_t steps, int64_t arrival_ns) {
  switch (timeline.source) {
    case TimeSource::mean:
      return *point.mean_s * 1e9 * static_cast<double>(steps);
    case TimeSource::own:
      return *point.own_s * 1e9;
    case TimeSource::arrival:
      break;
  }
  return static_cast<double>(arrival_ns);
}

bool came_in_bunches(const std::vector<int64_t>& gaps_ns) {
  constexpr double kAtOnce = 0.02;  // of the mean gap
  double sum = 0;
  for (const int64_t gap : gaps_ns) sum += static_cast<double>(gap);
  const double limit = sum / static_cast<double>(std::max<size_t>(1, gaps_ns.size())) * kAtOnce;
  const auto short_ones =
      std::count_if(gaps_ns.begin(), gaps_ns.end(), [&](int64_t gap) { return static_cast<double>(gap) <= limit; });
  return static_cast<size_t>(short_ones) * 2 > gaps_ns.size();
}

}  // namespace

const char* to_text(TimeSource source) {
  return source == TimeSource::arrival ? "times of arrival" : "times from the log";
}

TimeSource source_of(const Reading& reading) {
  const std::vector<Point>& points = reading.points;
  bool mean = points.size() > 1, own = mean;
  for (size_t i = 1; i < points.size(); ++i) {
    mean = mean && is_time(points[i].mean_s);
    own = own && is_time(points[i].own_s) && points[i].step == points[i - 1].step + 1;
  }
  return mean ? TimeSource::mean : own ? TimeSource::own : TimeSource::arrival;
}

Timeline timeline_of(const Reading& reading, const std::vector<Line>& lines) {
  const std::vector<Point>& points = reading.points;
  Timeline out;
  out.source = source_of(reading);
  if (points.empty()) return out;
  const std::vector<std::optional<double>> losses = losses_of(points);
  std::optional<double> samples = points[0].samples, tokens = points[0].tokens;
  std::vector<int64_t> gaps;
  const int64_t origin = lines[points[0].line].arrived_ns;
  double clock = 0;  // ns since the origin
  for (size_t i = 1; i < points.size(); ++i) {
    const int64_t before = lines[points[i - 1].line].arrived_ns, now = lines[points[i].line].arrived_ns;
    const int64_t count = points[i].step - points[i - 1].step;
    samples = points[i].samples ? points[i].samples : samples, tokens = points[i].tokens ? points[i].tokens : tokens;
    const double all = length(out, points[i], count, now - before);
    for (int64_t k = 0; k < count; ++k) {
      const auto part = [&](int64_t done) { return static_cast<double>(done) / static_cast<double>(count); };
      contract::Step step;
      step.step = static_cast<int64_t>(out.steps.size()) + 1;
      step.t0 = origin + std::llround(clock + all * part(k));
      step.t1 = origin + std::llround(clock + all * part(k + 1));
      step.samples = whole(samples, 0), step.tokens = whole(tokens, step.samples);
      step.loss = losses[i].value_or(std::numeric_limits<double>::quiet_NaN());
      step.loss_weight = losses[i] ? 1 : 0;  // without a loss, nothing to weigh
      out.steps.push_back({before + std::llround(static_cast<double>(now - before) * part(k + 1)), step});
    }
    clock += all;
    gaps.push_back(now - before);
  }
  out.in_bunches = out.source == TimeSource::arrival && came_in_bunches(gaps);
  return out;
}

int64_t default_warmup(int64_t steps) { return std::clamp<int64_t>(steps / 10, 1, 20); }

}  // namespace lockstep::exec
