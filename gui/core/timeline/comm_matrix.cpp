#include "gui/core/timeline/comm_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "adapters/contract/plural.h"
#include "gui/core/timeline/geometry.h"
#include "gui/core/timeline/in_range.h"
#include "profiler/sinks/kind_names.h"
#include "results/report/figures.h"
#include "results/report/tables.h"
#include "results/report/values.h"

namespace lockstep::gui::timeline {
namespace {

using activity::Transfer;

std::vector<int32_t> ranks_of(const Columns& columns, activity::Origin origin) {
  std::set<int32_t> out;
  for (const Track& track : columns.tracks) {
    if (track.origin == origin) out.insert(track.rank);
  }
  // Of a launch on several machines a rank's file may be missing.
  for (const int32_t peer : columns.transfers.peer) out.insert(peer);
  return {out.begin(), out.end()};
}

size_t place_of(const std::vector<int32_t>& ranks, int32_t rank) {
  return static_cast<size_t>(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

class Filler {
 public:
  Filler(const Columns& columns, const Range& time, CommMatrix& matrix)
      : columns_(columns), time_(time), matrix_(matrix) {}

  void add_track(const Track& track) {
    const size_t from = place_of(matrix_.ranks, track.rank);
    for (uint32_t row = track.first_row; row < track.first_row + track.rows; ++row) add_row(row, from);
  }

 private:
  void add_row(uint32_t row, size_t from) {
    const auto [first, last] = in_range(columns_, row, time_);
    auto [transfer, behind] = columns_.transfers.among(first, last);
    for (uint32_t i = first; i < last; ++i) {
      if (transfer == behind || columns_.transfers.activity[transfer] != i) {
        matrix_.untold += columns_.kind[i] == activity::Kind::communication ? 1 : 0;
        continue;
      }
      for (; transfer < behind && columns_.transfers.activity[transfer] == i; ++transfer) add(transfer, i, from);
    }
  }

  void add(uint32_t transfer, uint32_t activity, size_t from) {
    if (columns_.transfers.way[transfer] != Transfer::send) return;
    const size_t to = place_of(matrix_.ranks, columns_.transfers.peer[transfer]);
    CommMatrix::Cell& cell = matrix_.cells[from * matrix_.ranks.size() + to];
    ++cell.messages, cell.bytes += columns_.transfers.bytes[transfer];
    if (columns_.kind[activity] == activity::Kind::communication) cell.time_ns += columns_.length_ns(activity);
  }

  const Columns& columns_;
  const Range& time_;
  CommMatrix& matrix_;
};

/// Of plans, in which what computes sends at once.
report::Value time_value(const CommMatrix::Cell& cell, const TimeColumn& time) {
  if (cell.time_ns == 0) return report::missing_value("planned without");
  return report::number_value(static_cast<double>(cell.time_ns) * 1e-9, time.scale);
}

std::vector<std::string> words_of(const CommMatrix& matrix, const Area& area) {
  std::vector<std::string> out{fmt::format("{}, {} to {}.", profiler::origin_name(matrix.origin),
                                           time_text(area.time.begin_ns), time_text(area.time.end_ns))};
  if (matrix.untold > 0) {
    const bool one = matrix.untold == 1;
    out.push_back(fmt::format("{} communication activit{} of it tell{} no peer and {} in no cell: {}.", matrix.untold,
                              one ? "y" : "ies", one ? "s" : "", one ? "is" : "are",
                              matrix.origin == activity::Origin::planned
                                  ? "which algorithm does it is decided when it runs"
                                  : "native collectives and barriers"));
  }
  if (matrix.empty()) out.emplace_back("Nobody sent anything to a rank that is known.");
  return out;
}

}  // namespace

bool CommMatrix::empty() const {
  return std::all_of(cells.begin(), cells.end(), [](const Cell& cell) { return cell.messages == 0; });
}

CommMatrix comm_matrix(const Columns& columns, const Area& area, activity::Origin origin) {
  CommMatrix out;
  out.origin = origin;
  out.ranks = ranks_of(columns, origin);
  out.cells.resize(out.ranks.size() * out.ranks.size());
  Filler filler(columns, area.time, out);
  for (const uint32_t t : area.tracks) {
    if (columns.tracks[t].origin == origin) filler.add_track(columns.tracks[t]);
  }
  out.words = words_of(out, area);
  return out;
}

report::Table matrix_table(const CommMatrix& matrix) {
  struct Pair {
    size_t from, to;
  };
  std::vector<Pair> pairs;
  int64_t greatest = 0;
  for (size_t from = 0; from < matrix.ranks.size(); ++from) {
    for (size_t to = 0; to < matrix.ranks.size(); ++to) {
      if (matrix.at(from, to).messages > 0) pairs.push_back({from, to});
      greatest = std::max(greatest, matrix.at(from, to).time_ns);
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(), [&](const Pair& a, const Pair& b) {
    return matrix.at(b.from, b.to).bytes < matrix.at(a.from, a.to).bytes;
  });
  const TimeColumn time("time_s", "time", static_cast<double>(greatest) * 1e-9);
  report::Table out;
  out.title = "Who sends to whom";
  out.columns = {report::count_column("from", "from rank"),
                 report::count_column("to", "to rank"),
                 report::count_column("messages", "messages"),
                 {"bytes", "bytes", "B", report::Quantity::cost},
                 time.column};
  for (const Pair& pair : pairs) {
    const CommMatrix::Cell& cell = matrix.at(pair.from, pair.to);
    out.rows.push_back({fmt::format("{} {}", matrix.ranks[pair.from], matrix.ranks[pair.to]),
                        {report::count_value(matrix.ranks[pair.from]), report::count_value(matrix.ranks[pair.to]),
                         report::count_value(cell.messages), report::count_value(cell.bytes), time_value(cell, time)}});
  }
  out.notes = matrix.words;
  out.notes.emplace_back(
      "The time is that of the senders' activities, which may wait and may send to others meanwhile.");
  return out;
}

std::string bytes_text(int64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value < 1e3) return fmt::format("{} B", bytes);
  if (value < 1e6) return report::number(value / 1e3) + " kB";
  return value < 1e9 ? report::number(value / 1e6) + " MB" : report::number(value / 1e9) + " GB";
}

std::string cell_words(const CommMatrix& matrix, size_t from, size_t to) {
  const CommMatrix::Cell& cell = matrix.at(from, to);
  const std::string who = fmt::format("rank {} to rank {}: ", matrix.ranks[from], matrix.ranks[to]);
  if (cell.messages == 0) return who + "nothing";
  const std::string time = cell.time_ns > 0 ? ", " + length_text(static_cast<double>(cell.time_ns)) : "";
  return who +
         fmt::format("{}, {} ({} B){}", plural(cell.messages, "message"), bytes_text(cell.bytes), cell.bytes, time);
}

}  // namespace lockstep::gui::timeline
