#include "profiler/activity/flows.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace lockstep::activity {
namespace {

// Sends before receives of the same channel, each in order.
auto place_of(const TransferEnd& end) { return std::tuple(end.from, end.to, end.tag, end.way, end.begin_ns); }

bool same_channel(const TransferEnd& a, const TransferEnd& b) {
  return a.from == b.from && a.to == b.to && a.tag == b.tag;
}

using At = std::vector<TransferEnd>::const_iterator;

void match_channel(At begin, At end, std::vector<std::pair<int64_t, Flow>>& out) {
  const At first_recv = std::find_if(begin, end, [](const TransferEnd& e) { return e.way == Transfer::recv; });
  for (At send = first_recv, recv = end; send != begin && recv != first_recv;) {
    --send, --recv;
    out.push_back({send->begin_ns, {send->transfer, recv->transfer}});
  }
}

}  // namespace

std::vector<Flow> match_transfers(std::vector<TransferEnd> ends) {
  std::stable_sort(ends.begin(), ends.end(),
                   [](const TransferEnd& a, const TransferEnd& b) { return place_of(a) < place_of(b); });
  std::vector<std::pair<int64_t, Flow>> timed;
  for (At begin = ends.begin(); begin != ends.end();) {
    const At end = std::find_if(begin, At(ends.end()), [&](const TransferEnd& e) { return !same_channel(e, *begin); });
    match_channel(begin, end, timed);
    begin = end;
  }
  std::stable_sort(timed.begin(), timed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Flow> out;
  out.reserve(timed.size());
  for (const auto& [time, flow] : timed) out.push_back(flow);
  return out;
}

std::vector<Flow> flows_of(const Trace& trace) {
  if (trace.dropped > 0) return {};
  std::vector<TransferEnd> ends;
  ends.reserve(trace.transfers.size());
  for (uint32_t i = 0; i < trace.transfers.size(); ++i) {
    const Transfer& transfer = trace.transfers[i];
    const Activity& own = trace.activities[transfer.activity];
    const int32_t rank = trace.tracks[own.track].rank;
    const bool sends = transfer.way == Transfer::send;
    ends.push_back(
        {transfer.way, sends ? rank : transfer.peer, sends ? transfer.peer : rank, transfer.tag, own.begin_ns, i});
  }
  return match_transfers(std::move(ends));
}

}  // namespace lockstep::activity
