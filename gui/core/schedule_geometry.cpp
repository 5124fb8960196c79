#include "gui/core/schedule_geometry.h"

#include <algorithm>
#include <cmath>

namespace lockstep::gui {
namespace {

constexpr double kRowGap = 0.14;                // of a row's height, between rows
constexpr double kLeastRow = 4, kMostRow = 40;  // pixels

/// The boxes of a rank: [first, last) of the picture's.
std::pair<size_t, size_t> boxes_of_row(const SchedulePicture& picture, int rank) {
  const auto less = [](const ScheduleBox& box, int wanted) { return box.rank < wanted; };
  const auto first = std::lower_bound(picture.boxes.begin(), picture.boxes.end(), rank, less);
  const auto last = std::lower_bound(first, picture.boxes.end(), rank + 1, less);
  return {static_cast<size_t>(first - picture.boxes.begin()), static_cast<size_t>(last - picture.boxes.begin())};
}

/// The last box of [first, last) that starts at `time` or before; the first one where none does.
size_t last_started(const SchedulePicture& picture, size_t first, size_t last, double time) {
  size_t out = first;
  for (size_t i = first; i < last && picture.boxes[i].start <= time; ++i) out = i;
  return out;
}

}  // namespace

PixelRect ScheduleGeometry::rect_of(int rank, double start, double length) const {
  const double x = x_of(start);
  return {x, top + (rank + kRowGap / 2) * row_height, x_of(start + length) - x, row_height * (1 - kRowGap)};
}

std::optional<int> ScheduleGeometry::rank_at(double y) const {
  if (y < top) return std::nullopt;
  return static_cast<int>(std::floor((y - top) / row_height));
}

ScheduleGeometry fit(const SchedulePicture& picture, double width, double height, double names, double head,
                     double foot, double from, double to) {
  ScheduleGeometry out;
  const double rows = std::max<double>(1, static_cast<double>(picture.rows.size()));
  out.left = names, out.top = head;
  out.width = std::max(1.0, width - names);
  out.row_height = std::clamp((height - head - foot) / rows, kLeastRow, kMostRow);
  out.from = from, out.to = to;
  if (!(to > from)) out.from = 0, out.to = picture.makespan > 0 ? picture.makespan : 1;
  return out;
}

std::optional<size_t> box_at(const SchedulePicture& picture, const ScheduleGeometry& geometry, double x, double y) {
  const std::optional<int> rank = geometry.rank_at(y);
  if (!rank || *rank >= static_cast<int>(picture.rows.size()) || x < geometry.left) return std::nullopt;
  const auto [first, last] = boxes_of_row(picture, *rank);
  if (first == last) return std::nullopt;
  const size_t box = last_started(picture, first, last, geometry.time_of(x));
  if (!geometry.rect_of(picture.boxes[box]).contains(x, y)) return std::nullopt;
  return box;
}

size_t neighbour(const SchedulePicture& picture, size_t box, int along, int down) {
  const ScheduleBox& here = picture.boxes[box];
  if (down != 0) {
    const auto [first, last] = boxes_of_row(picture, here.rank + down);
    return first == last ? box : last_started(picture, first, last, here.start);
  }
  const auto [first, last] = boxes_of_row(picture, here.rank);
  if (along < 0) return box == first ? box : box - 1;
  return box + 1 < last ? box + 1 : box;
}

}  // namespace lockstep::gui
