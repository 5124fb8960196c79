#include "gui/core/timeline/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "gui/core/timeline/overlay.h"
#include "gui/core/timeline/totals.h"
#include "profiler/sinks/kind_names.h"
#include "results/report/figures.h"
#include "results/report/tables.h"
#include "results/report/values.h"

namespace lockstep::gui::timeline {
namespace {

using Key = std::pair<std::string, std::string>;  ///< kind and name

struct Use {
  int64_t count = 0;
  double s = std::numeric_limits<double>::quiet_NaN();  ///< a step, or in all
};

struct Entry {
  Key key;
  Use a, b;
  Change change = Change::unchanged;
  double moved() const { return std::abs((b.count > 0 ? b.s : 0) - (a.count > 0 ? a.s : 0)); }
};

Area measured(const Columns& columns) {
  Area out = everything(columns);
  std::erase_if(out.tracks, [&](uint32_t t) { return columns.tracks[t].origin != activity::Origin::measured; });
  return out;
}

Change change_of(const Use& a, const Use& b) {
  if (a.count == 0) return Change::only_b;
  if (b.count == 0) return Change::only_a;
  if (std::abs(b.s - a.s) <= kUnchanged * a.s) return Change::unchanged;
  return b.s > a.s ? Change::a_faster : Change::b_faster;
}

void gather(const Columns& columns, const Area& area, double parts, Use Entry::*side, std::map<Key, Entry>& to) {
  for (const Total& total : totals(columns, area)) {
    const Key key{profiler::kind_name(total.kind), columns.names[total.name]};
    Entry& entry = to[key];
    entry.key = key;
    entry.*side = {total.count, static_cast<double>(total.total_ns) * 1e-9 / parts};
  }
}

std::vector<Entry> sorted(const std::map<Key, Entry>& all) {
  std::vector<Entry> out;
  for (const auto& [key, entry] : all) out.push_back(entry), out.back().change = change_of(entry.a, entry.b);
  std::stable_sort(out.begin(), out.end(), [](const Entry& x, const Entry& y) { return x.moved() > y.moved(); });
  return out;
}

}  // namespace

const char* change_word(Change change) {
  constexpr const char* kWords[] = {"only in B", "only in A", "A faster", "B faster", "unchanged"};
  return kWords[static_cast<size_t>(change)];
}

report::Table diff(const Side& a, const Side& b) {
  const Area area_a = measured(a.columns), area_b = measured(b.columns);
  const size_t steps_a = steps_of(a.columns).begin_ns.size(), steps_b = steps_of(b.columns).begin_ns.size();
  const bool by_step = steps_a > 0 && steps_b > 0;
  std::map<Key, Entry> all;
  gather(a.columns, area_a, by_step ? static_cast<double>(steps_a) : 1, &Entry::a, all);
  gather(b.columns, area_b, by_step ? static_cast<double>(steps_b) : 1, &Entry::b, all);
  const std::vector<Entry> entries = sorted(all);
  double greatest = 0;
  for (const Entry& entry : entries)
    greatest = std::max({greatest, entry.a.count ? entry.a.s : 0, entry.b.count ? entry.b.s : 0});

  const std::string what = by_step ? "time a step" : "time in all";
  const TimeColumn time_a(by_step ? "a_s_per_step" : "a_s", what + ", A", greatest);
  const TimeColumn time_b(by_step ? "b_s_per_step" : "b_s", what + ", B", greatest);
  report::Column ratio{"ratio", "B / A", "", report::Quantity::ratio};
  ratio.base = a.name;
  report::Table out;
  out.title = fmt::format("From A, {}, to B, {}", a.name, b.name);
  out.columns = {report::name_column("name", "name"),
                 report::name_column("kind", "kind"),
                 report::name_column("change", "change"),
                 report::count_column("a_count", "count, A"),
                 report::count_column("b_count", "count, B"),
                 time_a.column,
                 time_b.column,
                 ratio};
  const auto time_value = [](const Use& use, double scale, const char* side) {
    return report::number_value(use.s, scale, fmt::format("{} has none", side));
  };
  for (const Entry& entry : entries) {
    const double both = entry.a.count > 0 && entry.b.count > 0 ? entry.b.s / entry.a.s : std::nan("");
    out.rows.push_back(
        {entry.key.first + " " + entry.key.second,
         {report::text_value(entry.key.second), report::text_value(entry.key.first),
          report::text_value(change_word(entry.change)), report::count_value(entry.a.count),
          report::count_value(entry.b.count), time_value(entry.a, time_a.scale, "A"),
          time_value(entry.b, time_b.scale, "B"), report::number_value(both, 1, "only one side has it")}});
  }
  out.notes = {
      fmt::format("Times are over all ranks; {} steps were recorded in A, {} in B.", steps_a, steps_b),
      fmt::format("One recorded launch a side: no interval, so A faster and B faster only mean more than {} apart. "
                  "Whether a cell is faster is what Compare tells, from its timed launches.",
                  report::percent(kUnchanged))};
  return out;
}

}  // namespace lockstep::gui::timeline
