#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "gui/core/pages/launches.h"
#include "gui/core/text.h"
#include "results/report/tables.h"
#include "results/report/values.h"
#include "results/snapshot/workload_text.h"

namespace lockstep::gui {
namespace {

using report::Column;
using report::Quantity;
using report::Value;

struct LaunchField {
  Column column;
  Value (*value)(const LaunchLine&);
};

Value text_or(const std::string& text, const char* why) {
  return text.empty() ? Value{"-", {}, false, why} : report::text_value(text);
}

Column launch_column(const char* key, const char* title, const char* unit, Quantity quantity) {
  Column out{key, title, unit, quantity, report::Centre::none, false};
  out.interval = "none: one launch";
  return out;
}

const char* why_no_figures(const LaunchLine& line) {
  if (line.row.status == store::LaunchStatus::finished) return "being read";
  return store::is_over(line.row.status) ? "did not finish" : "not over yet";
}

template <double snapshot::LaunchFigures::*figure, int scale = 1>
Value figure_value(const LaunchLine& line) {
  if (!line.figures) return report::missing_value(why_no_figures(line));
  return report::number_value(*line.figures.*figure, scale);
}

Value milliseconds(const LaunchLine& line) {
  if (!line.figures) return report::missing_value(why_no_figures(line));
  return report::number_value(line.figures->step_s, 1e-3);
}

Value rate(const LaunchLine& line, double snapshot::LaunchFigures::*figure) {
  if (!line.figures) return report::missing_value(why_no_figures(line));
  if (!line.figures->problem.empty()) return report::missing_value(line.figures->problem);
  const double value = *line.figures.*figure;
  return value > 0 ? report::number_value(value) : report::missing_value("not counted in this workload");
}

Value loss(const LaunchLine& line, double snapshot::LaunchFigures::*figure) {
  if (!line.figures) return report::missing_value(why_no_figures(line));
  if (!line.figures->has_loss) return report::missing_value("no loss was kept");
  return report::number_value(*line.figures.*figure, 1, "not a number");
}

constexpr int kMiB = 1 << 20;

const std::vector<LaunchField>& launch_fields() {
  static const std::vector<LaunchField> fields{
      {report::name_column("launch", "launch"), [](const LaunchLine& l) { return report::text_value(selector_of(l)); }},
      {report::name_column("suite", "suite"), [](const LaunchLine& l) { return text_or(l.suite, "none"); }},
      {report::name_column("workload", "workload"),
       [](const LaunchLine& l) { return report::text_value(l.cell->workload); }},
      {report::name_column("system", "system"), [](const LaunchLine& l) { return report::text_value(l.cell->system); }},
      {report::name_column("strategy", "strategy"),
       [](const LaunchLine& l) { return report::text_value(l.cell->strategy); }},
      {report::name_column("fabric", "fabric"),
       [](const LaunchLine& l) { return text_or(l.cell->fabric, "one rank"); }},
      {report::count_column("ranks", "ranks"), [](const LaunchLine& l) { return report::count_value(l.cell->ranks); }},
      {report::name_column("status", "status"),
       [](const LaunchLine& l) { return report::text_value(to_text(l.row.status)); }},
      {report::name_column("mode", "mode"),
       [](const LaunchLine& l) { return report::text_value(to_text(l.row.mode)); }},
      {launch_column("step_s", "time a step", "ms", Quantity::cost), milliseconds},
      {launch_column("samples_per_s", "throughput", "samples/s", Quantity::rate),
       [](const LaunchLine& l) { return rate(l, &snapshot::LaunchFigures::samples_per_s); }},
      {launch_column("tokens_per_s", "throughput", "tokens/s", Quantity::rate),
       [](const LaunchLine& l) { return rate(l, &snapshot::LaunchFigures::tokens_per_s); }},
      {launch_column("peak_memory_bytes", "peak memory", "MiB", Quantity::cost),
       figure_value<&snapshot::LaunchFigures::peak_memory_bytes, kMiB>},
      {launch_column("bytes_sent", "sent per rank and step", "kB", Quantity::cost),
       figure_value<&snapshot::LaunchFigures::bytes_sent, 1000>},
      {launch_column("messages", "messages per rank and step", "", Quantity::cost),
       figure_value<&snapshot::LaunchFigures::messages>},
      {launch_column("region_s", "timed region", "s", Quantity::cost),
       figure_value<&snapshot::LaunchFigures::region_s>},
      {launch_column("first_loss", "first loss", "nat", Quantity::cost),
       [](const LaunchLine& l) { return loss(l, &snapshot::LaunchFigures::first_loss); }},
      {launch_column("last_loss", "last loss", "nat", Quantity::cost),
       [](const LaunchLine& l) { return loss(l, &snapshot::LaunchFigures::last_loss); }},
      {report::count_column("block", "block"), [](const LaunchLine& l) { return report::count_value(l.row.block); }},
      {report::count_column("repetition", "repetition"),
       [](const LaunchLine& l) { return report::count_value(l.row.repetition); }},
      {report::count_column("seed", "seed"), [](const LaunchLine& l) { return report::count_value(l.row.seed); }},
      {report::count_column("steps", "steps"), [](const LaunchLine& l) { return report::count_value(l.row.steps); }},
      {report::count_column("warmup", "warm-up"),
       [](const LaunchLine& l) { return report::count_value(l.row.warmup); }},
      {report::count_column("threads", "threads a rank"),
       [](const LaunchLine& l) { return report::count_value(l.row.threads); }},
      {launch_column("load_before", "load before", "", Quantity::count),
       [](const LaunchLine& l) { return report::number_value(l.row.load_before); }},
      {report::name_column("started", "started"),
       [](const LaunchLine& l) { return report::text_value(utf8(time_text(l.row.started_utc_ns))); }},
      {report::name_column("marks", "marks"),
       [](const LaunchLine& l) { return text_or(fmt::format("{}", fmt::join(l.row.marks, "; ")), "none"); }},
      {report::name_column("error_kind", "error"),
       [](const LaunchLine& l) { return text_or(l.row.error_kind, "none"); }},
      {report::name_column("error_message", "what went wrong"),
       [](const LaunchLine& l) {
         return text_or(l.row.error_message.substr(0, l.row.error_message.find('\n')), "nothing");
       }},
      {report::name_column("environment", "environment"),
       [](const LaunchLine& l) { return text_or(l.row.environment.substr(0, 8), "never started"); }},
      {report::name_column("run_folder", "run folder"),
       [](const LaunchLine& l) { return text_or(l.row.run_folder, "none"); }},
  };
  return fields;
}

/// Values are made from the launch when they are seen.
class LaunchRows : public Rows {
 public:
  explicit LaunchRows(std::vector<LaunchLine> lines) : lines_(std::move(lines)) {
    for (const LaunchField& field : launch_fields()) columns_.push_back(field.column);
  }
  const std::string& title() const override { return title_; }
  const std::vector<Column>& columns() const override { return columns_; }
  size_t size() const override { return lines_.size(); }
  Value value(size_t row, size_t column) const override { return launch_fields()[column].value(lines_[row]); }
  std::string key(size_t row) const override { return selector_of(lines_[row]); }
  std::string cell(size_t row) const override { return lines_[row].row.cell; }

 private:
  std::string title_ = "Launches";
  std::vector<LaunchLine> lines_;
  std::vector<Column> columns_;
};

}  // namespace

std::string selector_of(const LaunchLine& line) { return fmt::format("@{}.{}", line.campaign, line.row.number); }

std::shared_ptr<const Rows> launch_rows(std::vector<LaunchLine> lines) {
  return std::make_shared<LaunchRows>(std::move(lines));
}

}  // namespace lockstep::gui
