#include "gui/core/pages/convergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "adapters/contract/plural.h"
#include "gui/core/campaign.h"
#include "gui/core/filter.h"
#include "gui/core/looks.h"
#include "gui/core/text.h"
#include "results/report/cell_words.h"
#include "results/report/tables.h"
#include "results/report/values.h"
#include "results/snapshot/efficiency.h"
#include "results/snapshot/loss_curve.h"
#include "results/snapshot/quality.h"

namespace lockstep::gui {
namespace {

constexpr int64_t kMostPoints = 2000;  // of one launch; a wider picture has fewer pixels
constexpr size_t kSmoothShare = 50;    // a window is a fiftieth of the points

using snapshot::Evaluated;

/// What a step has cost by its end.
struct Cost {
  double step = 0, samples = 0, tokens = 0, time_s = 0, device_hours = 0;
};

struct Moment {
  Cost cost;
  double value = 0;
};

/// What one launch shows of one metric.
struct Course {
  std::vector<Moment> moments;
  std::optional<snapshot::LaunchQuality> quality;  ///< where the metric is the target's
};

struct CellCourse {
  store::CellRow cell;
  size_t look = 0;
  std::vector<Course> courses;
};

double device_hours(double time_s, int64_t ranks) { return time_s * static_cast<double>(ranks) / 3600; }

std::vector<double> running_sum(const std::vector<store::SeriesRow>& series, const std::string& name) {
  std::vector<double> out;
  for (const store::SeriesRow& row : series) {
    const auto* values = std::get_if<std::vector<int64_t>>(&row.values);
    if (row.name != name || values == nullptr) continue;
    out.resize(std::max(out.size(), values->size()));
    for (size_t i = 0; i < values->size(); ++i) out[i] += static_cast<double>((*values)[i]);
  }
  for (size_t i = 1; i < out.size(); ++i) out[i] += out[i - 1];
  return out;
}

double at(const std::vector<double>& values, int64_t step) {
  if (values.empty()) return kNone;
  return values[std::min(static_cast<size_t>(std::max<int64_t>(step, 0)), values.size() - 1)];
}

/// The losses of a launch with the cost of each step.
std::vector<Moment> losses_of(const store::LaunchRow& launch, const std::vector<store::SeriesRow>& series,
                              int64_t ranks) {
  const snapshot::LossCurve curve = snapshot::loss_curve(launch, series, kMostPoints);
  const std::vector<double> samples = running_sum(series, "samples"), tokens = running_sum(series, "tokens");
  std::vector<Moment> out;
  for (const snapshot::LossPoint& point : curve.points) {
    const Cost cost{static_cast<double>(point.step + 1), at(samples, point.step), at(tokens, point.step), point.time_s,
                    device_hours(point.time_s, ranks)};
    out.push_back({cost, point.loss});
  }
  return out;
}

// An evaluation has the tokens of the step before it; its own time is on the clock.
std::vector<Moment> moments_of(const std::vector<snapshot::Evaluated>& evaluations,
                               const std::vector<store::SeriesRow>& series, int64_t ranks) {
  const std::vector<double> tokens = running_sum(series, "tokens");
  std::vector<Moment> out;
  for (const snapshot::Evaluated& one : evaluations) {
    out.push_back({{static_cast<double>(one.step), static_cast<double>(one.samples), at(tokens, one.step - 1),
                    one.time_s, device_hours(one.time_s, ranks)},
                   one.value});
  }
  return out;
}

/// What the lower axis can be.
struct Against {
  const char *id, *title, *unit;
  double Cost::*member;
};
constexpr Against kAgainst[] = {{"steps", "steps", "", &Cost::step},
                                {"samples", "samples", "", &Cost::samples},
                                {"tokens", "tokens", "", &Cost::tokens},
                                {"time", "wall time", "s", &Cost::time_s},
                                {"device_hours", "device-hours", "h", &Cost::device_hours}};

const Against& against_named(const std::string& id) {
  for (const Against& one : kAgainst) {
    if (id == one.id) return one;
  }
  return kAgainst[0];
}

/// Over seeds, moment by moment, as far as all launches go.
struct Mean {
  std::vector<double> x, y, low, high;
};

Mean mean_of(const std::vector<Course>& courses, const Against& against) {
  size_t length = courses.front().moments.size();
  for (const Course& course : courses) length = std::min(length, course.moments.size());
  Mean out;
  const auto n = static_cast<double>(courses.size());
  for (size_t i = 0; i < length; ++i) {
    double x = 0, y = 0, low = courses.front().moments[i].value, high = low;
    for (const Course& course : courses) {
      const Moment& moment = course.moments[i];
      x += moment.cost.*against.member / n, y += moment.value / n;
      low = std::min(low, moment.value), high = std::max(high, moment.value);
    }
    out.x.push_back(x), out.y.push_back(y), out.low.push_back(low), out.high.push_back(high);
  }
  return out;
}

void add_course(Chart& chart, const CellCourse& course, const Against& against, bool smooth) {
  const std::string name = course.cell.system + " " + report::strategy_of(course.cell);
  const Mean mean = mean_of(course.courses, against);
  const std::vector<double> shown = smooth ? smoothed(mean.y, mean.y.size() / kSmoothShare | 1) : mean.y;
  ChartSeries band{name + " band", course.cell.text, Draw::band, course.look, {}, false};
  ChartSeries line{fmt::format("{}, {}", name, plural(static_cast<int64_t>(course.courses.size()), "seed")),
                   course.cell.text,
                   Draw::line,
                   course.look,
                   {},
                   true};
  for (size_t i = 0; i < mean.x.size(); ++i) {
    if (!std::isfinite(mean.x[i]) || !std::isfinite(shown[i])) continue;
    ChartPoint point{mean.x[i], shown[i], mean.low[i], mean.high[i], ""};
    if (course.courses.size() > 1 || smooth) band.points.push_back(point);
    point.low = point.high = kNone;
    point.tip =
        fmt::format("{}\n{} {:.6g}{}\n{:.6g}, from {:.6g} to {:.6g}", name, against.title, mean.x[i],
                    *against.unit == 0 ? "" : std::string(" ") + against.unit, shown[i], mean.low[i], mean.high[i]);
    line.points.push_back(point);
  }
  if (smooth && course.courses.size() == 1) {  // the raw curve under the smoothed one
    band.draw = Draw::faint;
    for (size_t i = 0; i < band.points.size(); ++i)
      band.points[i].y = band.points[i].low, band.points[i].low = band.points[i].high = kNone;
  }
  if (!band.points.empty()) chart.series.push_back(std::move(band));
  if (!line.points.empty()) chart.series.push_back(std::move(line));
}

void add_target(Chart& chart, const snapshot::QualityTarget& target) {
  double least = 0, most = 0;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) most = std::max(most, point.x);
  }
  chart.series.push_back({"target: " + target.text(),
                          "target",
                          Draw::guide,
                          0,
                          {{least, target.value, kNone, kNone, ""}, {most, target.value, kNone, kNone, ""}},
                          true});
}

report::Column cost_column(const char* key, const char* title, const char* unit) {
  report::Column out{key, title, unit, report::Quantity::cost, report::Centre::none, false};
  out.interval = "none: one launch";
  return out;
}

report::Table times_table(const std::vector<CellCourse>& courses, const snapshot::QualityTarget& target,
                          int64_t campaign) {
  report::Table out;
  out.title = "When each launch reached the target: " + target.text();
  out.columns = {report::name_column("launch", "launch"),
                 report::name_column("cell", "cell"),
                 report::count_column("seed", "seed"),
                 cost_column("steps_to_target", "steps to target", ""),
                 cost_column("samples_to_target", "samples", ""),
                 cost_column("time_s_to_target", "wall time", "s"),
                 cost_column("device_hours_to_target", "device-hours", "h"),
                 cost_column("best", "best seen", "")};
  for (const CellCourse& cell : courses) {
    for (const Course& course : cell.courses) {
      const snapshot::LaunchQuality& quality = *course.quality;
      const auto cost = [&](auto of) {
        return quality.reached ? report::number_value(static_cast<double>(of(*quality.reached)))
                               : report::missing_value("not reached");
      };
      out.rows.push_back(
          {cell.cell.text,
           {report::text_value(fmt::format("@{}.{}", campaign, quality.launch)), report::text_value(cell.cell.text),
            report::count_value(quality.seed), cost([](const Evaluated& at) { return at.step; }),
            cost([](const Evaluated& at) { return at.samples; }), cost([](const Evaluated& at) { return at.time_s; }),
            cost([&](const Evaluated& at) { return device_hours(at.time_s, cell.cell.ranks); }),
            report::number_value(quality.best)}});
    }
  }
  return out;
}

report::Table chart_table(const Chart& chart, const Against& against, const std::string& metric) {
  report::Table out;
  out.title = chart.title;
  out.columns = {report::name_column("curve", "curve"), cost_column(against.id, against.title, against.unit),
                 cost_column(metric.c_str(), metric.c_str(), "")};
  for (const ChartSeries& series : chart.series) {
    if (series.draw != Draw::line) continue;
    for (const ChartPoint& point : series.points) {
      out.rows.push_back(
          {series.key,
           {report::text_value(series.name), report::number_value(point.x), report::number_value(point.y)}});
    }
  }
  return out;
}

/// Reads the launches of one workload.
struct Reader {
  store::Store& store;
  const store::CampaignRow& campaign;

  /// Of cells that match.
  std::vector<CellCourse> courses(const std::vector<store::CellRow>& cells, const RowFilter& filter,
                                  const std::string& metric,
                                  const std::optional<snapshot::QualityTarget>& target) const {
    std::vector<CellCourse> out;
    const Looks looks(store);
    for (const store::CellRow& row : cells) {
      if (snapshot::is_copies(row) || !matches(filter, row)) continue;
      CellCourse cell{row, looks.of(row.text), {}};
      for (const store::LaunchRow& launch :
           store.launches({campaign.id, row.text, {}, store::LaunchStatus::finished})) {
        if (launch.mode != store::LaunchMode::time && launch.mode != store::LaunchMode::converge) continue;
        Course course = metric == "loss" ? losses(launch, row) : evaluations(launch, row, metric, target);
        if (!course.moments.empty()) cell.courses.push_back(std::move(course));
      }
      if (!cell.courses.empty()) out.push_back(std::move(cell));
    }
    return out;
  }

  Course losses(const store::LaunchRow& launch, const store::CellRow& cell) const {
    return {losses_of(launch, store.series(launch.id), cell.ranks), {}};
  }

  Course evaluations(const store::LaunchRow& launch, const store::CellRow& cell, const std::string& metric,
                     const std::optional<snapshot::QualityTarget>& target) const {
    const std::vector<store::SeriesRow> series = store.series(launch.id);
    const std::vector<Evaluated> evaluated = snapshot::evaluated(store.evaluations(launch.id), series, metric);
    Course out{moments_of(evaluated, series, cell.ranks), {}};
    if (target && target->metric == metric) out.quality = snapshot::quality_of(launch, *target, evaluated);
    return out;
  }

  std::vector<std::string> metrics(const std::vector<store::CellRow>& cells) const {
    std::vector<std::string> out{"loss"};
    for (const store::CellRow& cell : cells) {
      for (const store::LaunchRow& launch :
           store.launches({campaign.id, cell.text, store::LaunchMode::converge, store::LaunchStatus::finished})) {
        for (const store::EvaluationRow& row : store.evaluations(launch.id)) {
          if (std::find(out.begin(), out.end(), row.metric) == out.end()) out.push_back(row.metric);
        }
      }
    }
    return out;
  }
};

std::string known_or_first(const std::vector<std::string>& known, const std::string& wanted) {
  return std::find(known.begin(), known.end(), wanted) == known.end() ? known.front() : wanted;
}

}  // namespace

std::vector<double> smoothed(const std::vector<double>& values, size_t window) {
  std::vector<double> sums(values.size() + 1), out(values.size());
  for (size_t i = 0; i < values.size(); ++i) sums[i + 1] = sums[i] + values[i];
  const size_t half = window / 2;
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t reach = std::min({half, i, values.size() - 1 - i});
    out[i] = (sums[i + reach + 1] - sums[i - reach]) / static_cast<double>(2 * reach + 1);
  }
  return out;
}

Convergence load_convergence(store::Store& store, const ViewState& view) {
  Convergence out;
  const std::optional<store::CampaignRow> campaign = campaign_of(store, view);
  if (!campaign) {
    out.words = kNoCampaign;
    return out;
  }
  const RowFilter filter = parse_row_filter(view.filter);
  std::map<std::string, std::vector<store::CellRow>> by_workload;
  for (store::CellRow& cell : store.cells(campaign->id)) {
    const bool left = !snapshot::is_copies(cell) && matches(filter, cell);
    const bool known = std::find(out.workloads.begin(), out.workloads.end(), cell.workload) != out.workloads.end();
    if (left && !known) out.workloads.push_back(cell.workload);
    by_workload[cell.workload].push_back(std::move(cell));
  }
  if (out.workloads.empty()) {
    out.words = view.filter.empty() ? "This campaign has no launch yet." : "The filter leaves no cell: " + view.filter;
    return out;
  }
  out.workload = known_or_first(out.workloads, view.option("convergence.workload", ""));
  const std::vector<store::CellRow>& cells = by_workload[out.workload];
  const Reader reader{store, *campaign};
  out.metrics = reader.metrics(cells);
  out.metric = known_or_first(out.metrics, view.option("convergence.metric", out.metrics.back()));
  const std::optional<snapshot::QualityTarget> target = snapshot::target_of(cells.front());
  const std::vector<CellCourse> courses = reader.courses(cells, filter, out.metric, target);
  const Against& against = against_named(view.option("convergence.against", "steps"));
  out.chart.title = fmt::format("{} of {}", out.metric, out.workload);
  out.chart.x.title = against.title, out.chart.x.unit = against.unit;
  out.chart.y.title = out.metric, out.chart.y.unit = out.metric == "loss" ? "nat" : "";
  out.chart.y.logarithmic = view.option("convergence.scale", "linear") == "log";
  const bool smooth = out.metric == "loss" && view.option("convergence.smooth", "smoothed") == "smoothed";
  for (const CellCourse& course : courses) add_course(out.chart, course, against, smooth);
  if (out.chart.series.empty()) {
    out.words = "No finished launch of this workload kept what this picture needs (its steps, its losses, or tokens).";
    return out;
  }
  out.chart.table = chart_table(out.chart, against, out.metric);
  if (target) out.target = target->text();
  if (target && target->metric == out.metric) {
    add_target(out.chart, *target);
    out.times = times_table(courses, *target, campaign->number);
  } else if (out.metrics.size() == 1) {
    out.words = fmt::format(
        "Nothing was evaluated in this campaign, so time to target is not known{}: lockstep run -w {} "
        "--converge",
        target ? " (" + target->text() + ")" : "", out.workload);
  }
  return out;
}

}  // namespace lockstep::gui
