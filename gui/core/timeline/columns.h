#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profiler/activity/activity.h"

namespace lockstep::gui::timeline {

/// One track of a rank. What overlaps on it, nested or not, lies in lanes: an activity is in the first lane that is
/// free when it begins, so that a call is above what it calls. A lane is a row of the columns.
struct Track {
  int32_t rank = 0;
  std::string name;
  activity::Origin origin = activity::Origin::measured;
  uint32_t first_row = 0, rows = 0;
};

/// Who sent what to whom, as columns sorted by activity (activity::Transfer): 21 bytes each.
struct Transfers {
  std::vector<uint32_t> activity;
  std::vector<int32_t> peer, tag;
  std::vector<int64_t> bytes;
  std::vector<activity::Transfer::Way> way;

  size_t size() const { return activity.size(); }
  activity::Transfer at(uint32_t i) const { return {way[i], activity[i], peer[i], tag[i], bytes[i]}; }
  /// Appends a transfer, as one of `of`.
  void add(const activity::Transfer& transfer, uint32_t of);
  /// Those of an activity: [first, last).
  std::pair<uint32_t, uint32_t> of(uint32_t activity) const { return among(activity, activity + 1); }
  /// Those of activities [first, last).
  std::pair<uint32_t, uint32_t> among(uint32_t first, uint32_t last) const;
};

/// Traces as columns, sorted by (row, begin). Within a row activities do not overlap, so both ends ascend. What lasts
/// no time comes before what begins with it. 41 bytes an activity, without transfers.
struct Columns {
  std::vector<std::string> names;  ///< each once
  std::vector<Track> tracks;
  std::vector<uint32_t> row_begin{0};  ///< row r is [row_begin[r], row_begin[r + 1])
  std::vector<int64_t> begin_ns, end_ns, bytes;
  std::vector<uint32_t> name;
  std::vector<int32_t> step, microbatch;
  std::vector<activity::Kind> kind;
  Transfers transfers;
  int64_t dropped = 0;

  size_t size() const { return begin_ns.size(); }
  uint32_t rows() const { return static_cast<uint32_t>(row_begin.size()) - 1; }
  int64_t length_ns(size_t i) const { return end_ns[i] - begin_ns[i]; }
  /// The activities of all rows of a track: one range, not sorted by time where there are several rows.
  std::pair<uint32_t, uint32_t> range(const Track& track) const {
    return {row_begin[track.first_row], row_begin[track.first_row + track.rows]};
  }
  uint32_t row_of(uint32_t activity) const;
  const Track& track_of_row(uint32_t row) const;
};

/// Cost: O(n log n). At most 2^32 - 1 activities.
Columns columns_of(const activity::Trace& trace);

/// Adds the tracks of `part` to `whole`; names are shared, dropped records add up.
void append(Columns& whole, const Columns& part);

/// From the first begin to the last end of the tracks with this origin, or of all; {0, 0} without any.
std::pair<int64_t, int64_t> span_ns(const Columns& columns);
std::pair<int64_t, int64_t> span_ns(const Columns& columns, activity::Origin origin);

/// Moves all times.
void shift(Columns& columns, int64_t by_ns);

}  // namespace lockstep::gui::timeline
