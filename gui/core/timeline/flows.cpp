#include "gui/core/timeline/flows.h"

#include <algorithm>
#include <array>

#include "gui/core/timeline/in_range.h"
#include "profiler/activity/flows.h"

namespace lockstep::gui::timeline {
namespace {

using activity::Transfer;

activity::TransferEnd end_of(const Columns& columns, uint32_t transfer) {
  const Transfers& all = columns.transfers;
  const uint32_t activity = all.activity[transfer];
  const int32_t rank = columns.track_of_row(columns.row_of(activity)).rank, peer = all.peer[transfer];
  const bool sends = all.way[transfer] == Transfer::send;
  return {all.way[transfer], sends ? rank : peer,        sends ? peer : rank,
          all.tag[transfer], columns.begin_ns[activity], transfer};
}

/// Where the middle of each row is on the page; nothing for rows that are not shown.
std::vector<std::optional<double>> middles(const Columns& columns, const Layout& layout, const View& view) {
  std::vector<std::optional<double>> out(columns.rows());
  for (const Line& line : layout.lines) {
    if (line.type != Line::track) continue;
    for (const uint32_t t : line.tracks) {
      const Track& track = columns.tracks[t];
      for (uint32_t lane = 0; lane < track.rows; ++lane) {
        out[track.first_row + lane] = y_on_page(line, view.scroll_px) + layout.lane_px * (lane + 0.5) + 1;
      }
    }
  }
  return out;
}

/// Transfers of the rows' activities that are in the view; nothing where there are too many.
std::vector<uint32_t> shown_transfers(const Columns& columns, const std::vector<std::optional<double>>& rows,
                                      const View& view) {
  std::vector<uint32_t> out;
  for (uint32_t row = 0; row < columns.rows(); ++row) {
    if (!rows[row]) continue;
    const auto [first, last] = in_range(columns, row, view.time);
    const auto [begin, end] = columns.transfers.among(first, last);
    if (out.size() + (end - begin) > 2 * kMostFlows) return {};
    for (uint32_t i = begin; i < end; ++i) out.push_back(i);
  }
  return out;
}

class Lines {
 public:
  Lines(const Timeline& timeline, const View& view, const std::vector<std::optional<double>>& rows)
      : timeline_(timeline), view_(view), rows_(rows) {}

  void add(uint32_t transfer, bool of_selected) {
    const uint32_t partner = timeline_.partners[transfer];
    if (partner == kNoPartner) return;
    const Columns& columns = timeline_.columns;
    const bool sends = columns.transfers.way[transfer] == Transfer::send;
    const uint32_t from = columns.transfers.activity[sends ? transfer : partner];
    const uint32_t to = columns.transfers.activity[sends ? partner : transfer];
    const auto y1 = rows_[columns.row_of(from)], y2 = rows_[columns.row_of(to)];
    if (!y1 || !y2) return;
    lines_.push_back({x_of(from, Transfer::send), *y1, x_of(to, Transfer::recv), *y2, of_selected});
  }
  std::vector<FlowLine> take() { return std::move(lines_); }

 private:
  double x_of(uint32_t i, Transfer::Way way) const {
    const Columns& columns = timeline_.columns;
    return view_.x_of(
        static_cast<double>(activity::time_of(way, columns.kind[i], columns.begin_ns[i], columns.end_ns[i])));
  }

  const Timeline& timeline_;
  const View& view_;
  const std::vector<std::optional<double>>& rows_;
  std::vector<FlowLine> lines_;
};

}  // namespace

std::vector<uint32_t> partners_of(const Columns& columns) {
  std::vector<uint32_t> out(columns.transfers.size(), kNoPartner);
  if (columns.dropped > 0) return out;
  std::array<std::vector<activity::TransferEnd>, 2> ends;  // of plans, of what was measured
  for (uint32_t i = 0; i < columns.transfers.size(); ++i) {
    const Track& track = columns.track_of_row(columns.row_of(columns.transfers.activity[i]));
    ends[track.origin == activity::Origin::measured ? 1 : 0].push_back(end_of(columns, i));
  }
  for (std::vector<activity::TransferEnd>& one : ends) {
    for (const activity::Flow& flow : activity::match_transfers(std::move(one))) {
      out[flow.send] = flow.recv, out[flow.recv] = flow.send;
    }
  }
  return out;
}

std::optional<uint32_t> other_end(const Timeline& timeline, uint32_t activity) {
  const Transfers& transfers = timeline.columns.transfers;
  const auto [begin, end] = timeline.partners.empty() ? std::pair(0u, 0u) : transfers.of(activity);
  std::optional<uint32_t> got;
  for (uint32_t i = begin; i < end; ++i) {
    if (timeline.partners[i] == kNoPartner) continue;
    const uint32_t other = transfers.activity[timeline.partners[i]];
    if (transfers.way[i] == Transfer::send) return other;
    if (!got) got = other;
  }
  return got;
}

std::vector<FlowLine> flow_lines(const Timeline& timeline, const Layout& layout, const View& view,
                                 std::optional<uint32_t> selected) {
  if (timeline.partners.empty()) return {};
  const Transfers& transfers = timeline.columns.transfers;
  const std::vector<std::optional<double>> rows = middles(timeline.columns, layout, view);
  Lines lines(timeline, view, rows);
  for (const uint32_t i : shown_transfers(timeline.columns, rows, view)) {
    const bool of_selected = selected && transfers.activity[i] == *selected;
    // A flow whose both ends are shown is drawn once, at its send.
    if (of_selected || transfers.way[i] == activity::Transfer::recv) continue;
    lines.add(i, false);
  }
  if (selected) {
    const auto [begin, end] = transfers.of(*selected);
    for (uint32_t i = begin; i < end; ++i) lines.add(i, true);
  }
  return lines.take();
}

}  // namespace lockstep::gui::timeline
