#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/core/timeline/totals.h"

namespace lockstep::gui::timeline {

/// What ranks sent each other in an area: of every send whose activity overlaps it, also of what is hidden or folded.
struct CommMatrix {
  struct Cell {
    int64_t messages = 0, bytes = 0;
    int64_t time_ns = 0;  ///< of the senders' activities that communicate; one that sends to several counts for each
  };
  activity::Origin origin = activity::Origin::measured;
  std::vector<int32_t> ranks;      ///< of rows (senders) and columns (receivers), ascending
  std::vector<Cell> cells;         ///< row by row
  int64_t untold = 0;              ///< communication without a peer: calls that are native, barriers
  std::vector<std::string> words;  ///< what it is of, and what is missing

  bool empty() const;
  const Cell& at(size_t from, size_t to) const { return cells[from * ranks.size() + to]; }
};

/// Of the tracks with this origin. Cost: O(activities and transfers in the area).
CommMatrix comm_matrix(const Columns& columns, const Area& area, activity::Origin origin);

/// A row a pair of ranks that has sent something, most bytes first.
report::Table matrix_table(const CommMatrix& matrix);

/// "16.8 MB": three significant digits, kB of 1000 B.
std::string bytes_text(int64_t bytes);
/// "rank 0 to rank 1: 128 messages, 16.8 MB, 3.2 ms"
std::string cell_words(const CommMatrix& matrix, size_t from, size_t to);

}  // namespace lockstep::gui::timeline
