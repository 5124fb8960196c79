#include "gui/core/pages/step_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reference_trainer/plan/describe_words.h"
#include "results/report/figures.h"
#include "results/report/tables.h"
#include "results/report/values.h"

namespace lockstep::gui {
namespace {

constexpr double kMebibyte = 1 << 20;
constexpr size_t kWidestLine = 400;  // characters: the groups of 4096 ranks are a book

report::Column bytes_column(std::string key, std::string title, std::string unit) {
  return {std::move(key), std::move(title), std::move(unit), report::Quantity::cost};
}

/// Bytes with their own unit, as sizes are of very different magnitude.
report::Value sent_value(int64_t bytes) {
  report::Value out = report::count_value(bytes);
  out.text = bytes == 0 ? "0" : plan::sent_text(bytes);
  return out;
}

report::Value mebibytes(int64_t bytes) {
  report::Value out = report::number_value(static_cast<double>(bytes), kMebibyte);
  out.text = plan::in_mebibytes(bytes);
  return out;
}

report::Table sent_table(const plan::Description& d) {
  report::Table out;
  out.title = "Sent per rank and step";
  out.columns = {report::name_column("operation", "sent per rank and step"),
                 report::name_column("calls", "calls x bytes of the buffer"), report::name_column("axis", "axis"),
                 report::name_column("why", "why")};
  for (size_t i = 0; i < d.places.size(); ++i) {
    out.columns.push_back(bytes_column(fmt::format("sent_bytes_{}", i), plan::place_name(d, i), ""));
  }
  out.columns.push_back(report::name_column("algorithm", "algorithm"));
  for (const plan::ExchangeLine& line : d.exchanges) {
    report::Row row{line.operation + " " + line.axis,
                    {report::text_value(line.operation), report::text_value(plan::calls_of(line)),
                     report::text_value(line.axis), report::text_value(line.why)}};
    for (const plan::ExchangeLine::Calls& calls : line.places) row.values.push_back(sent_value(calls.sent));
    row.values.push_back(report::text_value(line.algorithm));
    out.rows.push_back(std::move(row));
  }
  if (out.rows.empty()) return out;
  report::Row total{
      "total", {report::text_value("total"), report::text_value(""), report::text_value(""), report::text_value("")}};
  for (const plan::PlaceView& place : d.places) total.values.push_back(sent_value(place.sent));
  total.values.push_back(report::text_value(""));
  out.rows.push_back(std::move(total));
  out.notes = {fmt::format("kB are 1000 B. Loss and norms, which are not in the table: {} B.", plan::control_bytes(d))};
  return out;
}

/// A category of memory that a table shows.
struct Category {
  const char *key, *title;
  int64_t plan::MemoryPlan::*bytes;
};
constexpr Category kCategories[] = {{"parameters_bytes", "parameters", &plan::MemoryPlan::parameters},
                                    {"stashed_bytes", "stashed", &plan::MemoryPlan::stashed},
                                    {"gradients_bytes", "gradients", &plan::MemoryPlan::gradients},
                                    {"optimizer_bytes", "optimizer", &plan::MemoryPlan::optimizer},
                                    {"activations_bytes", "activations", &plan::MemoryPlan::activations},
                                    {"comm_bytes", "communication", &plan::MemoryPlan::comm},
                                    {"offloaded_bytes", "on disk", &plan::MemoryPlan::offloaded}};

report::Table memory_table(const plan::Description& d) {
  const bool stashes = std::ranges::any_of(d.places, [](const plan::PlaceView& place) { return place.versions > 1; });
  const auto is_shown = [&](const Category& one) {
    const bool usual = one.bytes != &plan::MemoryPlan::stashed && one.bytes != &plan::MemoryPlan::offloaded;
    return usual || std::ranges::any_of(d.places, [&](const plan::PlaceView& p) { return p.memory.*one.bytes > 0; });
  };
  report::Table out;
  out.title = "Planned peak memory of a rank";
  out.columns = {report::name_column("place", "peak memory of"), bytes_column("total_bytes", "planned", "MiB")};
  for (const Category& one : kCategories) {
    if (is_shown(one)) out.columns.push_back(bytes_column(one.key, one.title, "MiB"));
  }
  out.columns.push_back(report::count_column("in_flight", "in flight"));
  if (stashes) out.columns.push_back(report::count_column("weight_versions", "versions"));
  for (size_t i = 0; i < d.places.size(); ++i) {
    const plan::PlaceView& place = d.places[i];
    const std::string name = plan::place_name(d, i);
    report::Row row{name, {report::text_value(name), mebibytes(place.memory.total())}};
    for (const Category& one : kCategories) {
      if (is_shown(one)) row.values.push_back(mebibytes(place.memory.*one.bytes));
    }
    row.values.push_back(report::count_value(place.in_flight));
    if (stashes) row.values.push_back(report::count_value(place.versions));
    out.rows.push_back(std::move(row));
  }
  out.notes = {"In flight: activations that a rank has memory for at once, of all its stages together."};
  if (stashes) out.notes.emplace_back("Versions: of the parameters that a rank keeps, a prediction with them.");
  return out;
}

}  // namespace

StepPlan step_plan(const plan::Description& d, std::vector<std::string> heading) {
  StepPlan out;
  out.lines = std::move(heading);
  for (size_t i = 0; d.places.size() > 1 && i < d.places.size(); ++i) out.lines.push_back(plan::place_line(d, i));
  if (!d.groups.empty()) out.lines.push_back(fmt::format("ranks by axis: {}", fmt::join(d.groups, "  ")));
  for (std::string& line : out.lines) line = report::cut(line, kWidestLine);
  out.sent = sent_table(d);
  out.memory = memory_table(d);
  if (d.pipeline) out.words.push_back(fmt::format("Idle: {} stages.", plan::bubble_lines(*d.pipeline).back()));
  return out;
}

}  // namespace lockstep::gui
