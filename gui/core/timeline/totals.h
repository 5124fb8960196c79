#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/core/timeline/columns.h"
#include "gui/core/timeline/range.h"
#include "results/report/model.h"

namespace lockstep::gui::timeline {

/// What is asked about: all activities of some tracks that overlap a stretch of time. Never only those that are shown.
struct Area {
  Range time;
  std::vector<uint32_t> tracks;
  bool operator==(const Area&) const = default;
};

/// Everything there is.
Area everything(const Columns& columns);

/// All activities of one name, kind and origin in an area. Times are whole ones, also of what the area cuts;
/// `inside_ns` is the part of their time inside it.
struct Total {
  uint32_t name = 0;
  activity::Kind kind = activity::Kind::other;
  activity::Origin origin = activity::Origin::measured;
  int64_t count = 0, bytes = 0;
  int64_t total_ns = 0, inside_ns = 0;
  int64_t least_ns = 0, greatest_ns = 0;
  int64_t p95_ns = 0;  ///< the nearest rank: at least 95 % are no longer

  double mean_ns() const { return static_cast<double>(total_ns) / static_cast<double>(count); }
};

/// What was measured first; by time, longest first. Cost: O(activities of the tracks).
std::vector<Total> totals(const Columns& columns, const Area& area);

/// As a table: a row a name.
report::Table totals_table(const Columns& columns, const Area& area);

/// A row's key: "measured compute fc1".
std::string key_of(const Columns& columns, const Total& total);

/// The longest activity of a row of the table, by its key; nothing where the area has none.
std::optional<uint32_t> longest_of(const Columns& columns, const Area& area, const std::string& key);

/// A column of times, whose values are seconds shown in the unit that fits the greatest of them.
struct TimeColumn {
  TimeColumn(std::string key, std::string title, double greatest_s, report::Centre centre = report::Centre::none);
  report::Column column;
  double scale;  ///< seconds in one of its unit
};

}  // namespace lockstep::gui::timeline
