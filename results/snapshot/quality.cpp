#include "results/snapshot/quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "results/snapshot/series_columns.h"
#include "results/stats/median.h"

namespace lockstep::snapshot {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// When the first rank's first step began.
std::optional<int64_t> origin_ns(const std::vector<store::SeriesRow>& series) {
  const SeriesColumns columns(series);
  std::optional<int64_t> origin;
  for (const int64_t rank : columns.ranks()) {
    const auto* begin = columns.find<int64_t>(rank, "step_begin_ns");
    if (begin == nullptr || begin->empty()) continue;
    origin = std::min(origin.value_or(begin->front()), begin->front());
  }
  return origin;
}

}  // namespace

std::string QualityTarget::text() const {
  return fmt::format("{} {} {}", metric, at_least ? "at least" : "at most", value);
}

std::optional<QualityTarget> target_of(const store::CellRow& cell) {
  const nlohmann::json workload = nlohmann::json::parse(cell.workload_json, nullptr, false);
  if (!workload.is_object()) return std::nullopt;
  const nlohmann::json target = workload.value("target", nlohmann::json::object());
  if (!target.is_object() || !target.value("metric", nlohmann::json()).is_string()) return std::nullopt;
  for (const bool at_least : {true, false}) {
    const nlohmann::json value = target.value(at_least ? "at_least" : "at_most", nlohmann::json());
    if (value.is_number()) return QualityTarget{target["metric"], value, at_least};
  }
  return std::nullopt;
}

std::vector<Evaluated> evaluated(const std::vector<store::EvaluationRow>& rows,
                                 const std::vector<store::SeriesRow>& series, const std::string& metric) {
  const std::optional<int64_t> origin = origin_ns(series);
  std::vector<Evaluated> out;
  for (const store::EvaluationRow& row : rows) {
    if (row.metric != metric || row.weights != "own") continue;
    const double time_s = origin && row.mono_ns >= *origin ? static_cast<double>(row.mono_ns - *origin) * 1e-9 : kNone;
    out.push_back({row.step, row.samples_seen, time_s, row.value});
  }
  std::stable_sort(out.begin(), out.end(), [](const Evaluated& a, const Evaluated& b) { return a.step < b.step; });
  return out;
}

std::optional<LaunchQuality> quality_of(const store::LaunchRow& launch, const QualityTarget& target,
                                        const std::vector<Evaluated>& evaluations) {
  if (evaluations.empty()) return std::nullopt;
  LaunchQuality out{launch.number, launch.seed, std::nullopt, kNone, evaluations.back().value};
  for (const Evaluated& one : evaluations) {
    if (std::isnan(out.best) || target.better(one.value, out.best)) out.best = one.value;
    if (!out.reached && target.reached(one.value)) out.reached = one;
  }
  return out;
}

int64_t Quality::reached() const {
  return std::count_if(launches.begin(), launches.end(), [](const LaunchQuality& one) { return one.reached; });
}

void estimate(Quality& quality, double level) {
  const auto median = [&](auto value) {
    std::vector<double> values;
    for (const LaunchQuality& one : quality.launches) values.push_back(value(one));
    return stats::median(values, level);
  };
  const auto cost = [&](auto member) {
    return median([&](const LaunchQuality& one) {
      return one.reached ? static_cast<double>((*one.reached).*member) : std::numeric_limits<double>::infinity();
    });
  };
  quality.steps = cost(&Evaluated::step), quality.samples = cost(&Evaluated::samples);
  quality.time_s = cost(&Evaluated::time_s);
  quality.best = median([](const LaunchQuality& one) { return one.best; });
}

}  // namespace lockstep::snapshot
