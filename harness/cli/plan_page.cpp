#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/cli/plan_text.h"
#include "reference_trainer/plan/describe_words.h"
#include "workloads/plan/plan_of.h"

namespace lockstep::cli {
namespace {

using plan::Description;
using plan::ExchangeLine;
using plan::PlaceView;

constexpr size_t kPageWidth = 100;
constexpr size_t kMostColumns = 4;  ///< of places in the table of bytes; of more the least and the most are shown

std::string place_lines(const Description& d) {
  std::string out;
  for (size_t i = 0; d.places.size() > 1 && i < d.places.size(); ++i) out += plan::place_line(d, i) + "\n";
  return out;
}

/// Groups of all axes, several a line.
std::string group_lines(const Description& d) {
  std::string out, line;
  for (const std::string& group : d.groups) {
    if (!line.empty() && line.size() + 2 + group.size() > kPageWidth) out += line + "\n", line.clear();
    line += (line.empty() ? "" : "  ") + group;
  }
  return line.empty() ? out : out + line + "\n";
}

std::vector<std::string> columns_of(const Description& d, bool all, const std::vector<int64_t>& sent) {
  std::vector<std::string> cells;
  const auto text = [](int64_t bytes) { return bytes == 0 ? std::string("-") : plan::sent_text(bytes); };
  if (!all && d.places.size() > kMostColumns) {
    const auto [low, high] = std::ranges::minmax(sent);
    return {text(low), text(high)};
  }
  for (int64_t bytes : sent) cells.push_back(text(bytes));
  return cells;
}

using Cells = std::vector<std::string>;

/// Left-aligned texts, right-aligned numbers from column `numbers` on.
std::string aligned(const std::vector<Cells>& rows, size_t numbers) {
  std::vector<size_t> widths;
  for (const Cells& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const Cells& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      line += (i == 0 ? "" : "  ") +
              (i >= numbers ? fmt::format("{:>{}}", row[i], widths[i]) : fmt::format("{:<{}}", row[i], widths[i]));
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string sent_table(const Description& d, bool all) {
  if (d.exchanges.empty()) return "nothing is sent\n";
  std::vector<Cells> rows = {{"sent per rank and step", "calls x bytes", "axis", "why"}};
  std::vector<int64_t> totals;
  for (size_t i = 0; i < d.places.size(); ++i) {
    if (all || d.places.size() <= kMostColumns) rows[0].push_back(plan::place_name(d, i));
    totals.push_back(d.places[i].sent);
  }
  if (rows[0].size() == 4) rows[0].insert(rows[0].end(), {"least", "most"});
  for (const ExchangeLine& line : d.exchanges) {
    Cells row = {line.operation, plan::calls_of(line), line.axis, line.why};
    std::vector<int64_t> bytes;
    for (const ExchangeLine::Calls& calls : line.places) bytes.push_back(calls.sent);
    for (std::string& cell : columns_of(d, all, bytes)) row.push_back(std::move(cell));
    rows.push_back(std::move(row));
  }
  const int64_t control = plan::control_bytes(d);
  Cells last = {"total", control > 0 ? fmt::format("without loss, norms: {} B", control) : "", "", ""};
  for (std::string& cell : columns_of(d, all, totals)) last.push_back(std::move(cell));
  rows.push_back(std::move(last));
  return aligned(rows, 4);
}

std::string pipeline_lines(const Description& d) {
  if (!d.pipeline) return "";
  const plan::PipelineView& view = *d.pipeline;
  std::string out = plan::schedule_line(view) + "; F3 = forward of microbatch 3, .. = idle\n";
  size_t begin = 0;
  while (begin < view.picture.size()) {
    const size_t end = view.picture.find('\n', begin);
    const std::string line = view.picture.substr(begin, end - begin);
    const bool cut = line.size() > kPageWidth;
    out += (cut ? line.substr(0, line.rfind(' ', kPageWidth - 4)) + " ..." : line) + "\n";
    begin = end + 1;
  }
  const std::vector<std::string> bubble = plan::bubble_lines(view);
  return out + bubble[0] + ";\n       " + bubble[1] + "\n";
}

std::string memory_table(const Description& d) {
  std::vector<Cells> rows = {
      {"peak MiB", "parameters", "gradients", "optimizer", "activations (in flight)", "comm", "planned", ""}};
  const bool stashes = std::ranges::any_of(d.places, [](const PlaceView& place) { return place.versions > 1; });
  if (stashes) rows[0].insert(rows[0].begin() + 2, "versions");
  const bool offloads =
      std::ranges::any_of(d.places, [](const PlaceView& place) { return place.memory.offloaded > 0; });
  if (offloads) rows[0].insert(rows[0].end() - 1, "on disk");
  const int64_t most = d.peak_bytes();
  for (size_t i = 0; i < d.places.size(); ++i) {
    const plan::MemoryPlan& m = d.places[i].memory;
    rows.push_back({plan::place_name(d, i), plan::in_mebibytes(m.parameters), plan::in_mebibytes(m.gradients),
                    plan::in_mebibytes(m.optimizer),
                    fmt::format("{} ({})", plan::in_mebibytes(m.activations), d.places[i].in_flight),
                    plan::in_mebibytes(m.comm), plan::in_mebibytes(m.total()),
                    d.places.size() > 1 && m.total() == most ? "max" : ""});
    if (offloads) rows.back().insert(rows.back().end() - 1, plan::in_mebibytes(m.offloaded));
    if (stashes)
      rows.back().insert(rows.back().begin() + 2,
                         fmt::format("{} ({})", plan::in_mebibytes(m.stashed), d.places[i].versions));
  }
  return aligned(rows, 1);
}

std::string detail_lines(const Description& d) {
  std::string out;
  for (size_t i = 0; i < d.places.size(); ++i) {
    const PlaceView& place = d.places[i];
    const std::string where = d.places.size() > 1 ? " on " + plan::place_name(d, i) : "";
    if (!place.fill.empty()) out += fmt::format("to fill the pipeline{}: {}\n", where, place.fill);
    out += fmt::format("actions{}: {}\nlayouts{}, forward\n", where, place.actions, where);
    for (const std::string& line : place.layouts) out += "  " + line + "\n";
    if (!place.origins.empty()) out += fmt::format("where each collective comes from{}\n", where);
    for (const std::string& line : place.origins) out += "  " + line + "\n";
  }
  return out;
}

}  // namespace

std::string plan_page(const workloads::Workload& workload, const Description& d, bool verbose) {
  return fmt::format("{}\n", fmt::join(workloads::heading_lines(workload, d), "\n")) + place_lines(d) + group_lines(d) +
         sent_table(d, verbose) + pipeline_lines(d) + memory_table(d) + (verbose ? detail_lines(d) : "") +
         "step time: not predicted, this version does not calibrate machines. All checks passed\n";
}

}  // namespace lockstep::cli
