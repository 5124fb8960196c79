#pragma once

#include <span>
#include <vector>

#include "gui/core/timeline/columns.h"

namespace lockstep::gui::timeline {

/// What begins in a stretch of time of one row. How many: from `first` to the next bucket's `first`.
struct Bucket {
  uint32_t first = 0;    ///< activity
  uint32_t longest = 0;  ///< the first of the longest ones
  uint32_t second = 0;   ///< the longest of the others; `longest` itself where there are none
  float busy_ns = 0;     ///< time of all of them together
};

/// Buckets of 4^level nanoseconds that hold anything, of a row; a sentinel follows them.
struct ZoomLevel {
  int level = 0;
  std::span<const Bucket> buckets;  ///< without the sentinel, which may be read at buckets.end()
};

/// For each row, buckets at powers of 4 ns: a picture of any width looks at a few buckets a pixel and not at all
/// activities. Kept are levels with at most a quarter of the row's activities as buckets, and at most half of the next
/// finer one's: below 8 bytes an activity. Cost: O(n) a level that is looked at.
class ZoomTable {
 public:
  ZoomTable() = default;
  explicit ZoomTable(const Columns& columns);
  ZoomTable(ZoomTable&&) = default;  ///< levels point into buckets: moved, never copied
  ZoomTable& operator=(ZoomTable&&) = default;

  /// The coarsest level whose buckets are at most `ns` wide; null: none is, look at the activities themselves.
  const ZoomLevel* level(uint32_t row, double ns) const;
  std::span<const ZoomLevel> levels(uint32_t row) const;  ///< finest first
  size_t bytes() const { return buckets_.size() * sizeof(Bucket); }

 private:
  struct Kept {
    int level;
    size_t begin, end;
  };
  void add_row(const Columns& columns, uint32_t begin, uint32_t end, std::vector<Kept>& kept);

  std::vector<Bucket> buckets_;
  std::vector<ZoomLevel> levels_;
  std::vector<size_t> row_levels_{0};  ///< row r has [row_levels_[r], row_levels_[r + 1]) of levels_
};

}  // namespace lockstep::gui::timeline
