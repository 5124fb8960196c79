// The figures of one launch from its series.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "results/snapshot/series_columns.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::snapshot {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using Counts = std::vector<int64_t>;

int64_t sum_from(const Counts& values, int64_t first) {
  int64_t sum = 0;
  for (size_t i = static_cast<size_t>(first); i < values.size(); ++i) sum += values[i];
  return sum;
}

// Adds a rank's timed region, or says why it has none.
std::string add_region(LaunchFigures& out, const SeriesColumns& columns, int64_t rank, int64_t warmup) {
  const Counts* begin = columns.find<int64_t>(rank, "step_begin_ns");
  const Counts* end = columns.find<int64_t>(rank, "step_end_ns");
  const Counts* samples = columns.find<int64_t>(rank, "samples");
  if (begin == nullptr || end == nullptr || samples == nullptr) {
    return fmt::format("rank {}: step_begin_ns, step_end_ns and samples are needed", rank);
  }
  if (begin->size() != end->size() || begin->size() != samples->size()) {
    return fmt::format("rank {}: {} step begins, {} ends, {} sample counts", rank, begin->size(), end->size(),
                       samples->size());
  }
  const auto steps = static_cast<int64_t>(begin->size()) - warmup;
  if (warmup < 0 || steps < 1) {
    return fmt::format("rank {}: no step after {} of warm-up: {} in all", rank, warmup, begin->size());
  }
  const int64_t region_ns = end->back() - (*begin)[static_cast<size_t>(warmup)];
  if (region_ns <= 0) return fmt::format("rank {}: timed region of {} ns", rank, region_ns);
  out.region_s = std::max(out.region_s, static_cast<double>(region_ns) / 1e9);
  out.steps = std::max(out.steps, steps);
  out.samples += sum_from(*samples, warmup);
  const Counts* tokens = columns.find<int64_t>(rank, "tokens");
  if (tokens != nullptr && tokens->size() == begin->size()) out.tokens += sum_from(*tokens, warmup);
  return "";
}

void measure_speed(LaunchFigures& out, const SeriesColumns& columns, int64_t warmup) {
  const std::vector<int64_t> ranks = columns.ranks();
  if (ranks.empty()) out.problem = "no series";
  for (const int64_t rank : ranks) {
    if (out.problem.empty()) out.problem = add_region(out, columns, rank, warmup);
  }
  const bool fine = out.problem.empty();
  out.counts_steps = fine && out.samples == 0;
  if (out.counts_steps) out.samples = out.steps;
  out.samples_per_s = fine ? static_cast<double>(out.samples) / out.region_s : kNaN;
  out.tokens_per_s = fine ? static_cast<double>(out.tokens) / out.region_s : kNaN;
  out.step_s = fine ? out.region_s / static_cast<double>(out.steps) : kNaN;
}

// Mean per rank and step of the timed region; NaN where any rank lacks the series.
double mean_per_step(const SeriesColumns& columns, std::string_view name, int64_t warmup) {
  double sum = 0;
  int64_t steps = 0;
  for (const int64_t rank : columns.ranks()) {
    const Counts* values = columns.find<int64_t>(rank, name);
    if (values == nullptr || warmup < 0 || static_cast<int64_t>(values->size()) <= warmup) return kNaN;
    sum += static_cast<double>(sum_from(*values, warmup));
    steps += static_cast<int64_t>(values->size()) - warmup;
  }
  return steps == 0 ? kNaN : sum / static_cast<double>(steps);
}

double peak_memory(const std::vector<store::ProcessRow>& processes) {
  double sum = 0;
  for (const store::ProcessRow& process : processes) {
    const std::optional<int64_t> peak = process.peak_pss_bytes ? process.peak_pss_bytes : process.peak_rss_bytes;
    if (!peak) return kNaN;
    sum += static_cast<double>(*peak);
  }
  return processes.empty() ? kNaN : sum;
}

}  // namespace

LaunchFigures figures(const store::LaunchRow& launch, const std::vector<store::SeriesRow>& series,
                      const std::vector<store::ProcessRow>& processes) {
  const SeriesColumns columns(series);
  LaunchFigures out;
  out.id = launch.id;
  out.number = launch.number;
  out.block = launch.block;
  out.repetition = launch.repetition;
  out.environment = launch.environment;
  out.threads = launch.threads;
  out.warmup = launch.warmup;
  out.started_utc_ns = launch.started_utc_ns;
  measure_speed(out, columns, launch.warmup);
  out.peak_memory_bytes = peak_memory(processes);
  out.bytes_sent = mean_per_step(columns, "bytes_sent", launch.warmup);
  out.messages = mean_per_step(columns, "messages", launch.warmup);
  const std::optional<double> first = mean_loss(columns, 0), last = mean_loss(columns, -1);
  out.has_loss = first && last;
  out.first_loss = first.value_or(kNaN);
  out.last_loss = last.value_or(kNaN);
  return out;
}

}  // namespace lockstep::snapshot
