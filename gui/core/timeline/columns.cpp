#include "gui/core/timeline/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "adapters/contract/failure.h"

namespace lockstep::gui::timeline {
namespace {

using activity::Activity;
using activity::Trace;

/// Indices of names as they were to those in `names`, each of which stands there once.
class Names {
 public:
  explicit Names(std::vector<std::string>& names) : names_(names) {
    for (const std::string& name : names) index_.try_emplace(name, static_cast<uint32_t>(index_.size()));
  }

  std::vector<uint32_t> add(const std::vector<std::string>& more) {
    std::vector<uint32_t> out;
    for (const std::string& name : more) {
      const auto [found, fresh] = index_.try_emplace(name, static_cast<uint32_t>(names_.size()));
      if (fresh) names_.push_back(name);
      out.push_back(found->second);
    }
    return out;
  }

 private:
  std::vector<std::string>& names_;
  std::unordered_map<std::string, uint32_t> index_;
};

// The activities of each track one after the other: [begins[t], begins[t + 1]) of `order`.
std::vector<uint32_t> by_track(const Trace& trace, std::vector<uint32_t>& order) {
  std::vector<uint32_t> begins(trace.tracks.size() + 1, 0);
  for (const Activity& a : trace.activities) ++begins[a.track + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<uint32_t> next(begins.begin(), begins.end() - 1);
  order.resize(trace.activities.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[next[trace.activities[i].track]++] = i;
  return begins;
}

// What lasts no time first, then the longest: a caller before what it calls.
auto place_of(const Activity& a) { return std::tuple(a.begin_ns, a.end_ns > a.begin_ns, -a.end_ns); }

/// Puts a track's activities, sorted by place, into lanes.
std::vector<std::vector<uint32_t>> lanes_of(const Trace& trace, std::span<const uint32_t> order) {
  std::vector<std::vector<uint32_t>> lanes;
  for (const uint32_t i : order) {
    const auto is_free = [&](const std::vector<uint32_t>& lane) {
      return trace.activities[lane.back()].end_ns <= trace.activities[i].begin_ns;
    };
    auto lane = std::find_if(lanes.begin(), lanes.end(), is_free);
    if (lane == lanes.end()) lane = lanes.emplace(lanes.end());
    lane->push_back(i);
  }
  return lanes;
}

void reserve(Columns& columns, size_t n) {
  columns.begin_ns.reserve(n), columns.end_ns.reserve(n), columns.bytes.reserve(n);
  columns.name.reserve(n), columns.step.reserve(n), columns.microbatch.reserve(n), columns.kind.reserve(n);
}

void add(Columns& columns, const Activity& a, uint32_t name) {
  columns.begin_ns.push_back(a.begin_ns), columns.end_ns.push_back(a.end_ns), columns.bytes.push_back(a.bytes);
  columns.name.push_back(name), columns.step.push_back(a.step), columns.microbatch.push_back(a.microbatch);
  columns.kind.push_back(a.kind);
}

void check_size(size_t n) {
  if (n >= std::numeric_limits<uint32_t>::max()) {
    throw Failure("usage",
                  fmt::format("a timeline of {} activities: at most 2^32 - 2 can be shown; record fewer steps", n));
  }
}

template <class T>
void append(std::vector<T>& whole, const std::vector<T>& part) {
  whole.insert(whole.end(), part.begin(), part.end());
}

/// `order`: the trace's activities in the order of the columns.
Transfers transfers_of(const Trace& trace, const std::vector<uint32_t>& order) {
  Transfers out;
  if (trace.transfers.empty()) return out;
  std::vector<uint32_t> place(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<std::pair<uint32_t, uint32_t>> sorted;  // activity, transfer
  for (uint32_t i = 0; i < trace.transfers.size(); ++i) sorted.emplace_back(place[trace.transfers[i].activity], i);
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [activity, i] : sorted) out.add(trace.transfers[i], activity);
  return out;
}

}  // namespace

void Transfers::add(const activity::Transfer& transfer, uint32_t of) {
  activity.push_back(of), peer.push_back(transfer.peer), tag.push_back(transfer.tag);
  bytes.push_back(transfer.bytes), way.push_back(transfer.way);
}

std::pair<uint32_t, uint32_t> Transfers::among(uint32_t first, uint32_t last) const {
  const auto at = [&](uint32_t wanted) {
    return static_cast<uint32_t>(std::lower_bound(activity.begin(), activity.end(), wanted) - activity.begin());
  };
  return {at(first), at(last)};
}

uint32_t Columns::row_of(uint32_t activity) const {
  return static_cast<uint32_t>(std::upper_bound(row_begin.begin(), row_begin.end(), activity) - row_begin.begin()) - 1;
}

const Track& Columns::track_of_row(uint32_t row) const {
  const auto after = std::partition_point(tracks.begin(), tracks.end(),
                                          [&](const Track& track) { return track.first_row + track.rows <= row; });
  return *after;
}

Columns columns_of(const Trace& trace) {
  check_size(trace.activities.size());
  Columns out;
  out.dropped = trace.dropped;
  const std::vector<uint32_t> names = Names(out.names).add(trace.names);
  std::vector<uint32_t> order;
  const std::vector<uint32_t> begins = by_track(trace, order);
  reserve(out, order.size());
  std::vector<uint32_t> placed;  // the trace's activities as they lie in the columns
  placed.reserve(order.size());
  for (size_t t = 0; t < trace.tracks.size(); ++t) {
    const std::span<uint32_t> own(order.data() + begins[t], order.data() + begins[t + 1]);
    const auto earlier = [&](uint32_t a, uint32_t b) {
      return place_of(trace.activities[a]) < place_of(trace.activities[b]);
    };
    std::stable_sort(own.begin(), own.end(), earlier);
    Track track{trace.tracks[t].rank, trace.tracks[t].name, trace.origin, out.rows(), 0};
    for (const std::vector<uint32_t>& lane : lanes_of(trace, own)) {
      for (const uint32_t i : lane) add(out, trace.activities[i], names[trace.activities[i].name]);
      placed.insert(placed.end(), lane.begin(), lane.end());
      out.row_begin.push_back(static_cast<uint32_t>(out.size()));
      ++track.rows;
    }
    if (track.rows > 0) out.tracks.push_back(std::move(track));  // a row without activities shows nothing
  }
  out.transfers = transfers_of(trace, placed);
  return out;
}

void append(Columns& whole, const Columns& part) {
  check_size(whole.size() + part.size());
  const auto activities = static_cast<uint32_t>(whole.size());
  const uint32_t rows = whole.rows();
  const std::vector<uint32_t> names = Names(whole.names).add(part.names);
  for (Track track : part.tracks) {
    track.first_row += rows;
    whole.tracks.push_back(std::move(track));
  }
  for (uint32_t row = 0; row < part.rows(); ++row) whole.row_begin.push_back(activities + part.row_begin[row + 1]);
  append(whole.begin_ns, part.begin_ns), append(whole.end_ns, part.end_ns), append(whole.bytes, part.bytes);
  append(whole.step, part.step), append(whole.microbatch, part.microbatch), append(whole.kind, part.kind);
  whole.name.reserve(whole.size());
  for (const uint32_t name : part.name) whole.name.push_back(names[name]);
  for (uint32_t i = 0; i < part.transfers.size(); ++i) {
    whole.transfers.add(part.transfers.at(i), activities + part.transfers.activity[i]);
  }
  whole.dropped += part.dropped;
}

namespace {

template <class Wanted>
std::pair<int64_t, int64_t> span_where(const Columns& columns, Wanted wanted) {
  int64_t first = std::numeric_limits<int64_t>::max(), last = std::numeric_limits<int64_t>::min();
  for (const Track& track : columns.tracks) {
    for (uint32_t row = track.first_row; wanted(track) && row < track.first_row + track.rows; ++row) {
      first = std::min(first, columns.begin_ns[columns.row_begin[row]]);
      last = std::max(last, columns.end_ns[columns.row_begin[row + 1] - 1]);
    }
  }
  return first <= last ? std::pair(first, last) : std::pair(int64_t{0}, int64_t{0});
}

}  // namespace

std::pair<int64_t, int64_t> span_ns(const Columns& columns) {
  return span_where(columns, [](const Track&) { return true; });
}

std::pair<int64_t, int64_t> span_ns(const Columns& columns, activity::Origin origin) {
  return span_where(columns, [&](const Track& track) { return track.origin == origin; });
}

void shift(Columns& columns, int64_t by_ns) {
  for (int64_t& t : columns.begin_ns) t += by_ns;
  for (int64_t& t : columns.end_ns) t += by_ns;
}

}  // namespace lockstep::gui::timeline
