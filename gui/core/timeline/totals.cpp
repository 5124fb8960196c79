#include "gui/core/timeline/totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "gui/core/timeline/geometry.h"
#include "gui/core/timeline/in_range.h"
#include "profiler/sinks/kind_names.h"
#include "results/report/tables.h"
#include "results/report/values.h"

namespace lockstep::gui::timeline {
namespace {

constexpr double kNs = 1e-9;

/// What overlaps the area, with its track.
template <class Use>
void each_in(const Columns& columns, const Area& area, Use use) {
  for (const uint32_t t : area.tracks) {
    const Track& track = columns.tracks[t];
    for (uint32_t row = track.first_row; row < track.first_row + track.rows; ++row) {
      const auto [first, last] = in_range(columns, row, area.time);
      for (uint32_t i = first; i < last; ++i) use(i, track);
    }
  }
}

/// Sums while it gathers the lengths, which the percentile needs.
struct Gathered {
  Total total;
  std::vector<int64_t> lengths;
};

void add(Gathered& to, const Columns& columns, uint32_t i, const Range& time) {
  const double begin = std::max(static_cast<double>(columns.begin_ns[i]), time.begin_ns);
  const double end = std::min(static_cast<double>(columns.end_ns[i]), time.end_ns);
  to.total.bytes += columns.bytes[i];
  to.total.inside_ns += std::max(int64_t{0}, static_cast<int64_t>(end - begin));
  to.lengths.push_back(columns.length_ns(i));
}

Total finished(Gathered gathered) {
  std::vector<int64_t>& lengths = gathered.lengths;
  Total out = gathered.total;
  out.count = static_cast<int64_t>(lengths.size());
  out.total_ns = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  const auto [least, greatest] = std::minmax_element(lengths.begin(), lengths.end());
  out.least_ns = *least, out.greatest_ns = *greatest;
  const auto rank = lengths.begin() + static_cast<ptrdiff_t>((lengths.size() * 95 + 99) / 100 - 1);
  std::nth_element(lengths.begin(), rank, lengths.end());
  out.p95_ns = *rank;
  return out;
}

double greatest_of(const std::vector<Total>& all, int64_t Total::*member) {
  int64_t out = 0;
  for (const Total& total : all) out = std::max(out, total.*member);
  return static_cast<double>(out) * kNs;
}

std::string tracks_text(const Columns& columns, const Area& area) {
  if (area.tracks.size() == columns.tracks.size()) return "all rows";
  if (area.tracks.size() > 3) return fmt::format("{} rows", area.tracks.size());
  std::string out;
  for (const uint32_t t : area.tracks) {
    const Track& track = columns.tracks[t];
    out += fmt::format("{}rank {} {}", out.empty() ? "" : ", ", track.rank, label_of(track));
  }
  return out;
}

}  // namespace

Area everything(const Columns& columns) {
  Area out;
  const auto [begin, end] = span_ns(columns);
  out.time = {static_cast<double>(begin), static_cast<double>(end)};
  if (begin == end) out.time.end_ns += 1;  // what lasts no time is there too
  out.tracks.resize(columns.tracks.size());
  std::iota(out.tracks.begin(), out.tracks.end(), 0u);
  return out;
}

std::vector<Total> totals(const Columns& columns, const Area& area) {
  std::unordered_map<uint64_t, size_t> index;
  std::vector<Gathered> gathered;
  each_in(columns, area, [&](uint32_t i, const Track& track) {
    const uint64_t key = (uint64_t{columns.name[i]} << 16) + (static_cast<uint64_t>(columns.kind[i]) << 8) +
                         static_cast<uint64_t>(track.origin);
    const auto [found, fresh] = index.try_emplace(key, gathered.size());
    if (fresh) gathered.push_back({{.name = columns.name[i], .kind = columns.kind[i], .origin = track.origin}, {}});
    add(gathered[found->second], columns, i, area.time);
  });
  std::vector<Total> out;
  for (Gathered& one : gathered) out.push_back(finished(std::move(one)));
  const auto place = [](const Total& total) {
    return std::pair(total.origin != activity::Origin::measured, -total.total_ns);
  };
  std::stable_sort(out.begin(), out.end(), [&](const Total& a, const Total& b) { return place(a) < place(b); });
  return out;
}

std::string key_of(const Columns& columns, const Total& total) {
  return fmt::format("{} {} {}", profiler::origin_name(total.origin), profiler::kind_name(total.kind),
                     columns.names[total.name]);
}

std::optional<uint32_t> longest_of(const Columns& columns, const Area& area, const std::string& key) {
  std::optional<uint32_t> best;
  each_in(columns, area, [&](uint32_t i, const Track& track) {
    const bool longer = !best || columns.length_ns(i) > columns.length_ns(*best);
    if (longer && key_of(columns, {columns.name[i], columns.kind[i], track.origin}) == key) best = i;
  });
  return best;
}

TimeColumn::TimeColumn(std::string key, std::string title, double greatest_s, report::Centre centre) {
  scale = greatest_s >= 1 ? 1 : greatest_s >= 1e-3 ? 1e-3 : 1e-6;
  column = {std::move(key), std::move(title),
            scale == 1      ? "s"
            : scale == 1e-3 ? "ms"
                            : "µs",
            report::Quantity::cost, centre};
}

report::Table totals_table(const Columns& columns, const Area& area) {
  const std::vector<Total> all = totals(columns, area);
  const double greatest = greatest_of(all, &Total::greatest_ns);
  struct Time {
    TimeColumn head;
    double (*of)(const Total&);
  };
  // What people ask for first stands first.
  const Time times[] = {
      {{"total_s", "total", greatest_of(all, &Total::total_ns)}, [](const Total& t) { return double(t.total_ns); }},
      {{"inside_s", "inside", greatest_of(all, &Total::inside_ns)}, [](const Total& t) { return double(t.inside_ns); }},
      {{"mean_s", "mean", greatest, report::Centre::arithmetic_mean}, [](const Total& t) { return t.mean_ns(); }},
      {{"p95_s", "p95", greatest}, [](const Total& t) { return double(t.p95_ns); }},
      {{"min_s", "min", greatest}, [](const Total& t) { return double(t.least_ns); }},
      {{"max_s", "max", greatest}, [](const Total& t) { return double(t.greatest_ns); }}};
  report::Table out;
  out.title = fmt::format("Activities of {}, {} to {}", tracks_text(columns, area), time_text(area.time.begin_ns),
                          time_text(area.time.end_ns));
  out.columns = {report::name_column("name", "name"), report::name_column("kind", "kind"),
                 report::count_column("count", "count")};
  for (const Time& time : times) out.columns.push_back(time.head.column);
  out.columns.push_back({"bytes", "bytes", "B", report::Quantity::cost});
  out.columns.push_back(report::name_column("origin", "times are"));
  for (const Total& total : all) {
    report::Row row{
        key_of(columns, total),
        {report::text_value(columns.names[total.name]),
         report::text_value(std::string(profiler::kind_name(total.kind))), report::count_value(total.count)}};
    for (const Time& time : times) row.values.push_back(report::number_value(time.of(total) * kNs, time.head.scale));
    row.values.push_back(total.bytes > 0 ? report::count_value(total.bytes) : report::missing_value("moves none"));
    row.values.push_back(report::text_value(std::string(profiler::origin_name(total.origin))));
    out.rows.push_back(std::move(row));
  }
  out.notes = {"Every activity that overlaps the area counts with its whole time; inside is the part within the area.",
               "Rows that are hidden, folded or collapsed count all the same. p95: at least 95 % are no longer."};
  return out;
}

}  // namespace lockstep::gui::timeline
