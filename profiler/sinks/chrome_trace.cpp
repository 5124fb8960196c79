#include "profiler/sinks/chrome_trace.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "profiler/activity/flows.h"
#include "profiler/sinks/kind_names.h"

namespace lockstep::profiler {
namespace {

using OrderedJson = nlohmann::ordered_json;
using activity::Activity;
using activity::Trace;

int64_t first_time(const Trace& trace) {
  int64_t first = std::numeric_limits<int64_t>::max();
  for (const Activity& a : trace.activities) first = std::min(first, a.begin_ns);
  return first;
}

/// Ranks of the first trace keep their numbers; those of later traces follow after a gap.
int pid_of(size_t trace, int rank) { return static_cast<int>(trace) * 100'000 + rank; }

void add_names(OrderedJson& events, const Trace& trace, size_t index) {
  for (size_t t = 0; t < trace.tracks.size(); ++t) {
    const auto& track = trace.tracks[t];
    const int pid = pid_of(index, track.rank);
    const std::string process = fmt::format("rank {} ({})", track.rank, origin_name(trace.origin));
    events.push_back({{"ph", "M"}, {"name", "process_name"}, {"pid", pid}, {"args", {{"name", process}}}});
    events.push_back({{"ph", "M"},
                      {"name", "process_sort_index"},
                      {"pid", pid},
                      {"args", {{"sort_index", track.rank * 10 + static_cast<int>(index)}}}});
    events.push_back(
        {{"ph", "M"}, {"name", "thread_name"}, {"pid", pid}, {"tid", t}, {"args", {{"name", track.name}}}});
  }
}

void add_activities(OrderedJson& events, const Trace& trace, size_t index) {
  const int64_t origin = first_time(trace);
  for (const Activity& a : trace.activities) {
    OrderedJson args = OrderedJson::object();
    if (a.step >= 0) args["step"] = a.step;
    if (a.microbatch >= 0) args["microbatch"] = a.microbatch;
    if (a.bytes > 0) args["bytes"] = a.bytes;
    events.push_back({{"ph", "X"},
                      {"name", trace.names[a.name]},
                      {"cat", kind_name(a.kind)},
                      {"pid", pid_of(index, trace.tracks[a.track].rank)},
                      {"tid", a.track},
                      {"ts", static_cast<double>(a.begin_ns - origin) / 1000},
                      {"dur", static_cast<double>(a.end_ns - a.begin_ns) / 1000},
                      {"args", std::move(args)}});
  }
}

/// An arrow from each send to its receive. A viewer looks for the slice that is there at its time, so not at a slice's
/// end.
void add_flows(OrderedJson& events, const Trace& trace, size_t index) {
  const int64_t origin = first_time(trace);
  const auto event = [&](const char* phase, const activity::Transfer& transfer, const std::string& id) {
    const Activity& a = trace.activities[transfer.activity];
    const int64_t end = std::max(a.begin_ns, a.end_ns - 1);
    const int64_t at = activity::time_of(transfer.way, a.kind, a.begin_ns, end);
    return OrderedJson{{"ph", phase},
                       {"name", "transfer"},
                       {"cat", "transfer"},
                       {"id", id},
                       {"pid", pid_of(index, trace.tracks[a.track].rank)},
                       {"tid", a.track},
                       {"ts", static_cast<double>(at - origin) / 1000}};
  };
  int64_t number = 0;
  for (const activity::Flow& flow : activity::flows_of(trace)) {
    const activity::Transfer &send = trace.transfers[flow.send], &recv = trace.transfers[flow.recv];
    const std::string id = fmt::format("{}.{}", index, ++number);
    events.push_back(event("s", send, id));
    events.back()["args"] = {{"bytes", send.bytes}};
    events.push_back(event("f", recv, id));
    events.back()["bp"] = "e";
  }
}

}  // namespace

std::string chrome_trace(std::span<const Trace> traces) {
  OrderedJson events = OrderedJson::array();
  OrderedJson other = OrderedJson::object();
  for (size_t i = 0; i < traces.size(); ++i) {
    add_names(events, traces[i], i);
    add_activities(events, traces[i], i);
    add_flows(events, traces[i], i);
    other[fmt::format("dropped_records_{}", origin_name(traces[i].origin))] = std::to_string(traces[i].dropped);
  }
  // One event a line: a file that was cut off is still readable by people and by lenient readers.
  std::string text = "{\"displayTimeUnit\":\"ns\",\"otherData\":" + other.dump() + ",\"traceEvents\":[\n";
  for (size_t i = 0; i < events.size(); ++i) text += events[i].dump() + (i + 1 < events.size() ? ",\n" : "\n");
  return text + "]}\n";
}

}  // namespace lockstep::profiler
