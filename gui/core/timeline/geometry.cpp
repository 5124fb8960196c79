#include "gui/core/timeline/geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/core/timeline/in_range.h"
#include "results/report/figures.h"

namespace lockstep::gui::timeline {
namespace {

/// Takes a row's activities, or buckets of them, in order; makes boxes.
class RowBoxes {
 public:
  RowBoxes(const Columns& columns, const View& view, const Box& pattern, std::vector<Box>& out)
      : columns_(columns), view_(view), ns_per_px_(view.ns_per_px()), pattern_(pattern), out_(out) {}
  ~RowBoxes() { flush(); }
  RowBoxes(const RowBoxes&) = delete;
  RowBoxes& operator=(const RowBoxes&) = delete;

  // A bucket is at most a pixel wide and a row's activities do not overlap, so that only the last one of a bucket can
  // be a pixel long.
  void take(const Bucket& bucket, uint32_t count) {
    const auto longest_ns = static_cast<double>(columns_.length_ns(bucket.longest));
    if (longest_ns < ns_per_px_) return fold(bucket.first, count, bucket.longest, bucket.busy_ns);
    if (count > 1) {
      fold(bucket.first, count - 1, bucket.second, std::max(0.0, static_cast<double>(bucket.busy_ns) - longest_ns));
    }
    flush();
    Box box = pattern_;
    const double begin = view_.x_of(static_cast<double>(columns_.begin_ns[bucket.longest]));
    const double end = view_.x_of(static_cast<double>(columns_.end_ns[bucket.longest]));
    box.x_px = std::max(begin, -1.0), box.width_px = std::min(end, view_.width_px + 1) - box.x_px;
    box.activity = box.first = bucket.longest;
    out_.push_back(box);
  }

 private:
  void fold(uint32_t first, uint32_t count, uint32_t longest, double busy_ns) {
    const double column = std::max(0.0, std::floor(view_.x_of(static_cast<double>(columns_.begin_ns[first]))));
    if (folded_.count > 0 && column == folded_.x_px) {
      folded_.count += count, busy_ns_ += busy_ns;
      if (columns_.length_ns(longest) > columns_.length_ns(folded_.activity)) folded_.activity = longest;
      return;
    }
    flush();
    folded_ = pattern_;
    folded_.folded = true;
    folded_.x_px = column, folded_.width_px = 1;
    folded_.first = first, folded_.count = count, folded_.activity = longest;
    busy_ns_ = busy_ns;
  }

  void flush() {
    if (folded_.count > 0 && folded_.x_px < view_.width_px) {
      folded_.busy = static_cast<float>(std::min(1.0, busy_ns_ / ns_per_px_));
      out_.push_back(folded_);
    }
    folded_.count = 0;
  }

  const Columns& columns_;
  const View& view_;
  double ns_per_px_;
  Box pattern_, folded_{.count = 0};
  double busy_ns_ = 0;
  std::vector<Box>& out_;
};

double nice_step(double at_least) {
  const double power = std::pow(10, std::floor(std::log10(std::max(at_least, 1.0))));
  for (const double factor : {1, 2, 5}) {
    if (factor * power >= at_least) return factor * power;
  }
  return 10 * power;
}

struct Unit {
  const char* name;
  double ns;
  int digits;  ///< decimals that nanoseconds need
};
constexpr Unit kUnits[] = {{"s", 1e9, 9}, {"ms", 1e6, 6}, {"µs", 1e3, 3}, {"ns", 1, 0}};

const Unit& unit_of(double ns) {
  const auto fits = [&](const Unit& unit) { return std::abs(ns) >= unit.ns; };
  const auto found = std::find_if(std::begin(kUnits), std::end(kUnits), fits);
  return found == std::end(kUnits) ? kUnits[3] : *found;
}

}  // namespace

void add_row(const Timeline& timeline, uint32_t row, const View& view, double y_px, double height_px,
             std::vector<Box>& out) {
  const Columns& columns = timeline.columns;
  const auto [from, behind] = in_range(columns, row, view.time);
  if (from == behind) return;
  RowBoxes to(columns, view, Box{.y_px = y_px, .height_px = height_px, .row = row}, out);
  const ZoomLevel* level = timeline.zoom.level(row, view.ns_per_px());
  if (level == nullptr) {
    for (uint32_t i = from; i < behind; ++i) {
      to.take({i, i, i, static_cast<float>(columns.length_ns(i))}, 1);
    }
    return;
  }
  const auto after = std::partition_point(level->buckets.begin(), level->buckets.end(),
                                          [&](const Bucket& bucket) { return bucket.first <= from; });
  const Bucket* bucket = level->buckets.data() + (after - level->buckets.begin()) - 1;
  const Bucket* sentinel = level->buckets.data() + level->buckets.size();
  for (; bucket != sentinel && bucket->first < behind; ++bucket) to.take(*bucket, (bucket + 1)->first - bucket->first);
}

Stretch seen(const Layout& layout, const Line& line, double y_px, double height_px) {
  const double top = line.pinned ? y_px : std::max(y_px, layout.pinned_px);
  return {top, y_px + height_px - top};
}

std::vector<Box> boxes(const Timeline& timeline, const Layout& layout, const View& view) {
  std::vector<Box> out;
  if (view.width_px < 1 || view.time.length() <= 0) return out;
  for (const Line& line : layout.lines) {
    if (line.type == Line::head && !line.collapsed) continue;
    const double y = y_on_page(line, view.scroll_px);
    const bool one_line = line.type == Line::head;  // all rows on top of each other, the main track last
    const activity::Origin origin = timeline.columns.tracks[line.tracks.front()].origin;
    for (auto t = line.tracks.rbegin(); t != line.tracks.rend(); ++t) {
      const Track& track = timeline.columns.tracks[*t];
      if (one_line && track.origin != origin) continue;  // a plan would be seen in gaps of what was measured
      for (uint32_t lane = 0; lane < track.rows; ++lane) {
        const Stretch at = one_line ? seen(layout, line, y + 2, line.height_px - 4)
                                    : seen(layout, line, y + layout.lane_px * lane, layout.lane_px - 1);
        if (at.height_px < 1 || at.y_px >= view.height_px) continue;
        add_row(timeline, track.first_row + lane, view, at.y_px, at.height_px, out);
      }
    }
  }
  return out;
}

std::vector<Box> strip_boxes(const Timeline& timeline, double width_px, double height_px) {
  std::vector<Box> out;
  RowChoices choices;
  choices.arrangement = Arrangement::measured;
  Layout layout = lay_out(timeline.columns, choices);
  if (layout.lines.empty()) layout = lay_out(timeline.columns, {});
  std::erase_if(layout.lines, [](const Line& line) { return line.type != Line::head; });
  const auto [begin, end] = span_ns(timeline.columns);
  const View view{{static_cast<double>(begin), static_cast<double>(end)}, width_px, height_px, 0};
  if (layout.lines.empty() || width_px < 1 || end <= begin) return out;
  const double height = height_px / static_cast<double>(layout.lines.size());
  for (size_t i = 0; i < layout.lines.size(); ++i) {
    const std::vector<uint32_t>& tracks = layout.lines[i].tracks;
    for (auto t = tracks.rbegin(); t != tracks.rend(); ++t) {
      const Track& track = timeline.columns.tracks[*t];
      for (uint32_t lane = 0; lane < track.rows; ++lane) {
        add_row(timeline, track.first_row + lane, view, height * static_cast<double>(i), std::max(1.0, height - 1),
                out);
      }
    }
  }
  return out;
}

std::pair<int, int> painted(const Box& box) {
  const int left = static_cast<int>(std::lround(box.x_px));
  return {left, std::max(left + 1, static_cast<int>(std::lround(box.x_px + box.width_px)))};
}

std::optional<Box> box_at(const std::vector<Box>& boxes, double x_px, double y_px) {
  const auto covers = [&](const Box& box) {
    const auto [left, right] = painted(box);
    return y_px >= box.y_px && y_px < box.y_px + box.height_px && x_px >= left && x_px < right;
  };
  const auto found = std::find_if(boxes.rbegin(), boxes.rend(), covers);
  return found == boxes.rend() ? std::nullopt : std::optional(*found);
}

Ruler ruler(const View& view, double apart_px) {
  Ruler out;
  if (view.width_px < 1 || view.time.length() <= 0) return out;
  const double length = view.time.length();
  const double step = nice_step(view.ns_per_px() * apart_px);
  double from = 0;
  if (view.time.begin_ns > 1000 * length) {  // too many digits for a mark
    const double round = std::pow(10, std::ceil(std::log10(length)));
    from = std::floor(view.time.begin_ns / round) * round;
    out.from = "from " + time_text(from);
  }
  const Unit& unit = unit_of(view.time.end_ns - from);
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit.ns) - 1e-9)), 0, unit.digits);
  for (double at = std::ceil((view.time.begin_ns - from) / step) * step; from + at < view.time.end_ns; at += step) {
    out.ticks.push_back({view.x_of(from + at),
                         fmt::format("{}{:.{}f} {}", out.from.empty() ? "" : "+", at / unit.ns, decimals, unit.name)});
  }
  return out;
}

std::vector<Tick> step_marks(const std::map<int32_t, int64_t>& begin_ns, const View& view, double apart_px) {
  std::vector<Tick> out;
  if (begin_ns.empty() || view.width_px < 1 || view.time.length() <= 0) return out;
  const double span = static_cast<double>(begin_ns.rbegin()->second - begin_ns.begin()->second);
  const double step_px = span / static_cast<double>(begin_ns.size()) / view.ns_per_px();
  const auto every = static_cast<int32_t>(std::min(nice_step(apart_px / std::max(step_px, 1e-9)), 1e9));
  for (const auto& [step, begin] : begin_ns) {
    const double x = view.x_of(static_cast<double>(begin));
    if (step % every == 0 && x >= 0 && x < view.width_px) out.push_back({x, fmt::format("step {}", step)});
  }
  return out;
}

std::string length_text(double ns) {
  const Unit& unit = unit_of(ns);
  return report::number(ns / unit.ns) + " " + unit.name;
}

std::string time_text(double ns) {
  const Unit& unit = unit_of(ns);
  std::string digits = fmt::format("{:.{}f}", ns / unit.ns, unit.digits);
  if (unit.digits > 0) digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
  return digits + " " + unit.name;
}

}  // namespace lockstep::gui::timeline
