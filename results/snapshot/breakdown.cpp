#include "results/snapshot/breakdown.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace lockstep::snapshot {

namespace {

// What may go on at an instant, in the order in which it decides the instant's class.
enum Going : uint8_t { kCompute, kData, kIdle, kPeer, kTransfer, kGoings };

struct Change {
  int64_t at_ns;
  Going going;
  int by;  ///< +1 begins, -1 ends
};

struct RankRecord {
  std::vector<Change> changes;
  std::set<int32_t> steps;
  int64_t begin_ns = std::numeric_limits<int64_t>::max(), end_ns = std::numeric_limits<int64_t>::min();
};

std::optional<Going> going_of(activity::Kind kind, bool communication) {
  using activity::Kind;
  switch (kind) {
    case Kind::compute:
    case Kind::recompute:
    case Kind::optimizer:
      return kCompute;
    case Kind::data:
      return kData;
    case Kind::wait:
      return communication ? kPeer : kIdle;
    case Kind::bubble:
      return kIdle;
    case Kind::communication:
      return kTransfer;
    case Kind::step:
    case Kind::other:
      break;
  }
  return std::nullopt;
}

void add_trace(const activity::Trace& trace, std::map<int64_t, RankRecord>& ranks) {
  for (const activity::Activity& one : trace.activities) {
    const activity::Track& track = trace.tracks[one.track];
    const bool communication = track.name == "communication";
    RankRecord& record = ranks[track.rank];
    if (!communication) {
      record.begin_ns = std::min(record.begin_ns, one.begin_ns);
      record.end_ns = std::max(record.end_ns, one.end_ns);
      if (one.step >= 0) record.steps.insert(one.step);
    }
    const std::optional<Going> going = going_of(one.kind, communication);
    if (!going) continue;
    record.changes.push_back({one.begin_ns, *going, 1});
    record.changes.push_back({one.end_ns, *going, -1});
  }
}

// The member of the class that these activities have together. Communication without a rank that waits for it is hidden
// by work, or by what has no name.
int64_t RankBreakdown::*class_of(const std::array<int, kGoings>& going) {
  if (going[kCompute] > 0) return &RankBreakdown::compute_ns;
  if (going[kData] > 0) return &RankBreakdown::data_ns;
  if (going[kIdle] == 0) return &RankBreakdown::other_ns;
  return going[kTransfer] > 0 && going[kPeer] == 0 ? &RankBreakdown::transfer_ns : &RankBreakdown::waiting_ns;
}

RankBreakdown sweep(int64_t rank, RankRecord& record) {
  RankBreakdown out;
  out.rank = rank;
  out.steps = static_cast<int64_t>(record.steps.size());
  std::sort(record.changes.begin(), record.changes.end(),
            [](const Change& a, const Change& b) { return a.at_ns < b.at_ns; });
  std::array<int, kGoings> going{};
  int64_t from = record.begin_ns;
  for (const Change& change : record.changes) {
    const int64_t to = std::clamp(change.at_ns, record.begin_ns, record.end_ns);
    out.*class_of(going) += to - from;
    from = to;
    going[change.going] += change.by;
  }
  out.other_ns += record.end_ns - from;
  return out;
}

}  // namespace

double RankBreakdown::s_per_step(int64_t class_ns) const {
  if (steps == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(class_ns) * 1e-9 / static_cast<double>(steps);
}

std::vector<RankBreakdown> breakdown(std::span<const activity::Trace> traces) {
  std::map<int64_t, RankRecord> ranks;
  for (const activity::Trace& trace : traces) {
    if (trace.origin == activity::Origin::measured) add_trace(trace, ranks);
  }
  std::vector<RankBreakdown> out;
  for (auto& [rank, record] : ranks) {
    if (record.begin_ns < record.end_ns) out.push_back(sweep(rank, record));
  }
  return out;
}

}  // namespace lockstep::snapshot
