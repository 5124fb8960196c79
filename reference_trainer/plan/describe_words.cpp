#include "reference_trainer/plan/describe_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace lockstep::plan {
namespace {

std::string counted(int64_t number, std::string_view noun, std::string_view plural) {
  return fmt::format("{} {}", number, number == 1 ? noun : plural);
}

std::string low_or_high(int64_t low, int64_t high) {
  return low == high ? fmt::format("{}", low) : fmt::format("{} or {}", low, high);
}

/// "0-3", or a list where they are not consecutive.
std::string rank_range(const std::vector<int>& ranks) {
  if (ranks.size() == 1) return fmt::format("rank {}", ranks.front());
  if (ranks.back() - ranks.front() + 1 == static_cast<int>(ranks.size()))
    return fmt::format("ranks {}-{}", ranks.front(), ranks.back());
  return fmt::format("ranks {}", fmt::join(ranks, ","));
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

}  // namespace

std::string in_mebibytes(int64_t bytes) { return fmt::format("{:.2f}", static_cast<double>(bytes) / (1 << 20)); }

std::string with_commas(int64_t number) {
  std::string text = fmt::format("{}", number);
  for (size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string sent_text(int64_t bytes) {
  const auto number = static_cast<double>(bytes);
  if (number < 1e5) return fmt::format("{:.3f} kB", number / 1e3);
  return number < 1e9 ? fmt::format("{:.3f} MB", number / 1e6) : fmt::format("{:.3f} GB", number / 1e9);
}

std::string place_name(const Description& d, size_t place) {
  if (d.places.size() == 1) return "a rank";
  const bool stage = std::ranges::all_of(d.places, [](const PlaceView& p) { return p.stages.size() == 1; });
  return fmt::format("{} {}", stage ? "stage" : "pp", place);
}

std::string place_line(const Description& d, size_t place) {
  const PlaceView& view = d.places[place];
  const std::string stages =
      view.stages.size() > 1 ? fmt::format(" (stages {})", fmt::join(view.stages, ", ")) : std::string();
  return fmt::format("{}: {}{}: {}", place_name(d, place), rank_range(view.ranks), stages, view.contents);
}

std::string batch_line(const Description& d) {
  const int64_t most = d.largest_microbatch(), fewest = d.smallest_microbatch();
  std::string batch = fmt::format("global batch {} = ", d.batch);
  if (d.data_ranks > 1) batch += fmt::format("{} {} x ", d.data_ranks, d.data_axes);
  if (d.microbatches > 1) batch += fmt::format("{} microbatches x ", d.microbatches);
  batch += fmt::format("{} {}", low_or_high(fewest, most), fewest == most && most == 1 ? "sample" : "samples");
  return fmt::format("{}: {}; {}", d.strategy, counted(d.ranks, "rank", "ranks"), batch);
}

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

int64_t control_bytes(const Description& d) {
  int64_t most = 0;
  for (const PlaceView& place : d.places) most = std::max(most, place.control);
  return most;
}

std::string schedule_line(const PipelineView& view) {
  return fmt::format("schedule {}: F 1 unit, {}, {:g} units a step", view.schedule,
                     view.splits_backward ? "I and W 1 each" : "B 2 units", view.makespan);
}

std::vector<std::string> bubble_lines(const PipelineView& view) {
  const bool equal = !view.formula_of_equal_passes;
  return {fmt::format("bubble {}{:.1f} % of the step ({:.1f} % of ideal) if stages are equal{}",
                      equal ? view.formula + " = " : "", 100 * view.bubble, 100 * view.of_ideal(),
                      equal ? "" : "; by the paper's formula " + view.formula),
          fmt::format("{:.1f} % with the FLOPs of these", 100 * view.uneven_bubble)};
}

}  // namespace lockstep::plan
