#include <fmt/format.h>

#include <algorithm>

#include "harness/cli/plan_text.h"

namespace lockstep::cli {
namespace {

using plan::Description;
using plan::ExchangeLine;
using plan::PlaceView;

constexpr size_t kPageWidth = 100;
constexpr size_t kMostColumns = 4;  ///< of places in the table of bytes; of more the least and the most are shown

std::string counted(int64_t number, std::string_view noun, std::string_view plural) {
  return fmt::format("{} {}", number, number == 1 ? noun : plural);
}

std::string low_or_high(int64_t low, int64_t high) {
  return low == high ? fmt::format("{}", low) : fmt::format("{} or {}", low, high);
}

std::string optimizer_name(workloads::Optimizer optimizer) {
  switch (optimizer) {
    case workloads::Optimizer::sgd:
      return "SGD";
    case workloads::Optimizer::adamw:
      return "AdamW";
    case workloads::Optimizer::lars:
      return "LARS";
    case workloads::Optimizer::lamb:
      return "LAMB";
    default:
      return "SGD with momentum";
  }
}

/// "stage 1", or where a rank has several stages or each stage several ranks "pp 1".
std::string place_name(const Description& d, size_t place) {
  if (d.places.size() == 1) return "a rank";
  const bool stage = std::ranges::all_of(d.places, [](const PlaceView& p) { return p.stages.size() == 1; });
  return fmt::format("{} {}", stage ? "stage" : "pp", place);
}

std::string plan_heading(const workloads::Workload& workload, const Description& d) {
  std::string out = fmt::format("{}: {} parameters, {}, {}, {} steps\n", workload.text, with_commas(d.parameters),
                                workload.recipe.precision == workloads::Precision::fp64 ? "fp64" : "fp32",
                                optimizer_name(workload.recipe.optimizer), workload.steps);
  const int64_t most = d.largest_microbatch(), fewest = d.smallest_microbatch();
  std::string batch = fmt::format("global batch {} = ", d.batch);
  if (d.data_ranks > 1) batch += fmt::format("{} {} x ", d.data_ranks, d.data_axes);
  if (d.microbatches > 1) batch += fmt::format("{} microbatches x ", d.microbatches);
  batch += fmt::format("{} {}", low_or_high(fewest, most), fewest == most && most == 1 ? "sample" : "samples");
  out += fmt::format("{}: {}; {}\n", d.strategy, counted(d.ranks, "rank", "ranks"), batch);
  return out + fmt::format("model FLOPs a step, GEMMs x 3 (attention in full): {:.4g} G\n",
                           static_cast<double>(d.model_flops) / 1e9);
}

/// "0-3", or a list where they are not consecutive.
std::string rank_range(const std::vector<int>& ranks) {
  if (ranks.size() == 1) return fmt::format("rank {}", ranks.front());
  if (ranks.back() - ranks.front() + 1 == static_cast<int>(ranks.size()))
    return fmt::format("ranks {}-{}", ranks.front(), ranks.back());
  return fmt::format("ranks {}", fmt::join(ranks, ","));
}

std::string place_lines(const Description& d) {
  std::string out;
  for (size_t i = 0; d.places.size() > 1 && i < d.places.size(); ++i) {
    const PlaceView& place = d.places[i];
    const std::string stages =
        place.stages.size() > 1 ? fmt::format(" (stages {})", fmt::join(place.stages, ", ")) : std::string();
    out += fmt::format("{}: {}{}: {}\n", place_name(d, i), rank_range(place.ranks), stages, place.contents);
  }
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

/// "72 x 131,072", "8 x 1,024 + 8 x 3,072", or when there are more sizes "80, 1,234,567 in all".
std::string calls_text(const ExchangeLine::Calls& calls) {
  if (calls.sizes.empty()) return "-";
  if (calls.sizes.size() > 2) return fmt::format("{}, {} in all", calls.count(), with_commas(calls.bytes()));
  std::string out;
  for (const auto& [bytes, times] : calls.sizes)
    out += fmt::format("{}{} x {}", out.empty() ? "" : " + ", times, with_commas(bytes));
  return out;
}

/// Of all places: one text where they agree; "1 x 927,236 or 862,724" where only sizes differ; otherwise the first and
/// the last that differ.
std::string calls_of(const ExchangeLine& line) {
  std::vector<const ExchangeLine::Calls*> kinds;
  for (const ExchangeLine::Calls& calls : line.places) {
    const bool known =
        std::ranges::any_of(kinds, [&](const ExchangeLine::Calls* other) { return other->sizes == calls.sizes; });
    if (!calls.sizes.empty() && !known) kinds.push_back(&calls);
  }
  if (kinds.empty()) return "-";
  const ExchangeLine::Calls &first = *kinds.front(), &last = *kinds.back();
  if (kinds.size() == 1) return calls_text(first);
  const bool one_size = first.sizes.size() == 1 && last.sizes.size() == 1;
  if (one_size && first.count() == last.count())
    return fmt::format("{} {} {}", calls_text(first), kinds.size() == 2 ? "or" : "to",
                       with_commas(last.sizes.begin()->first));
  if (one_size && first.sizes.begin()->first == last.sizes.begin()->first)
    return fmt::format("{} {} {}", first.count(), kinds.size() == 2 ? "or" : "to", calls_text(last));
  return fmt::format("{} to {}", calls_text(first), calls_text(last));
}

std::vector<std::string> columns_of(const Description& d, bool all, const std::vector<int64_t>& sent) {
  std::vector<std::string> cells;
  const auto text = [](int64_t bytes) { return bytes == 0 ? std::string("-") : sent_text(bytes); };
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
  std::vector<int64_t> totals, controls;
  for (size_t i = 0; i < d.places.size(); ++i) {
    if (all || d.places.size() <= kMostColumns) rows[0].push_back(place_name(d, i));
    totals.push_back(d.places[i].sent);
    controls.push_back(d.places[i].control);
  }
  if (rows[0].size() == 4) rows[0].insert(rows[0].end(), {"least", "most"});
  for (const ExchangeLine& line : d.exchanges) {
    Cells row = {line.operation, calls_of(line), line.axis, line.why};
    std::vector<int64_t> bytes;
    for (const ExchangeLine::Calls& calls : line.places) bytes.push_back(calls.sent);
    for (std::string& cell : columns_of(d, all, bytes)) row.push_back(std::move(cell));
    rows.push_back(std::move(row));
  }
  const int64_t control = *std::ranges::max_element(controls);
  Cells last = {"total", control > 0 ? fmt::format("without loss, norms: {} B", control) : "", "", ""};
  for (std::string& cell : columns_of(d, all, totals)) last.push_back(std::move(cell));
  rows.push_back(std::move(last));
  return aligned(rows, 4);
}

std::string pipeline_lines(const Description& d) {
  if (!d.pipeline) return "";
  const plan::PipelineView& view = *d.pipeline;
  std::string out =
      fmt::format("schedule {}: F 1 unit, {}, {:g} units a step; F3 = forward of microbatch 3, .. = idle\n",
                  view.schedule, view.splits_backward ? "I and W 1 each" : "B 2 units", view.makespan);
  size_t begin = 0;
  while (begin < view.picture.size()) {
    const size_t end = view.picture.find('\n', begin);
    const std::string line = view.picture.substr(begin, end - begin);
    const bool cut = line.size() > kPageWidth;
    out += (cut ? line.substr(0, line.rfind(' ', kPageWidth - 4)) + " ..." : line) + "\n";
    begin = end + 1;
  }
  return out + fmt::format(
                   "bubble {} = {:.1f} % of the step ({:.1f} % of ideal) if stages are equal;\n"
                   "       {:.1f} % with the FLOPs of these\n",
                   view.formula, 100 * view.bubble, 100 * view.of_ideal(), 100 * view.uneven_bubble);
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
    rows.push_back({place_name(d, i), in_mebibytes(m.parameters), in_mebibytes(m.gradients), in_mebibytes(m.optimizer),
                    fmt::format("{} ({})", in_mebibytes(m.activations), d.places[i].in_flight), in_mebibytes(m.comm),
                    in_mebibytes(m.total()), d.places.size() > 1 && m.total() == most ? "max" : ""});
    if (offloads) rows.back().insert(rows.back().end() - 1, in_mebibytes(m.offloaded));
    if (stashes)
      rows.back().insert(rows.back().begin() + 2,
                         fmt::format("{} ({})", in_mebibytes(m.stashed), d.places[i].versions));
  }
  return aligned(rows, 1);
}

std::string detail_lines(const Description& d) {
  std::string out;
  for (size_t i = 0; i < d.places.size(); ++i) {
    const PlaceView& place = d.places[i];
    const std::string where = d.places.size() > 1 ? " on " + place_name(d, i) : "";
    if (!place.fill.empty()) out += fmt::format("to fill the pipeline{}: {}\n", where, place.fill);
    out += fmt::format("actions{}: {}\nlayouts{}, forward\n", where, place.actions, where);
    for (const std::string& line : place.layouts) out += "  " + line + "\n";
    if (!place.origins.empty()) out += fmt::format("where each collective comes from{}\n", where);
    for (const std::string& line : place.origins) out += "  " + line + "\n";
  }
  return out;
}

}  // namespace

std::string in_mebibytes(int64_t bytes) { return fmt::format("{:.2f}", static_cast<double>(bytes) / (1 << 20)); }

std::string with_commas(int64_t number) {
  std::string text = fmt::format("{}", number);
  for (size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string sent_text(int64_t bytes) {
  const auto number = static_cast<double>(bytes);
  return number < 1e5 ? fmt::format("{:.3f} kB", number / 1e3) : fmt::format("{:.3f} MB", number / 1e6);
}

std::string plan_page(const workloads::Workload& workload, const Description& d, bool verbose) {
  return plan_heading(workload, d) + place_lines(d) + group_lines(d) + sent_table(d, verbose) + pipeline_lines(d) +
         memory_table(d) + (verbose ? detail_lines(d) : "") +
         "step time: not predicted, this version does not calibrate machines. All checks passed\n";
}

}  // namespace lockstep::cli
