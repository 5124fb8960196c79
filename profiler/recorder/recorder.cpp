#include "profiler/recorder/recorder.h"

namespace lockstep::profiler {
namespace {

int64_t nanoseconds(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

}  // namespace

Recorder::Recorder(int32_t rank, size_t capacity) : rank_(rank), capacity_(capacity) {
  trace_.activities.resize(capacity);  // touches every page now, so that none is touched first inside the timed region
  trace_.activities.clear();
  trace_.transfers.resize(capacity);
  trace_.transfers.clear();
}

uint32_t Recorder::intern(std::string_view name) {
  const auto [entry, fresh] = names_.try_emplace(std::string(name), static_cast<uint32_t>(trace_.names.size()));
  if (fresh) trace_.names.emplace_back(name);
  return entry->second;
}

uint32_t Recorder::track(std::string_view name) {
  const auto [entry, fresh] = tracks_.try_emplace(std::string(name), static_cast<uint32_t>(trace_.tracks.size()));
  if (fresh) trace_.tracks.push_back({rank_, std::string(name)});
  return entry->second;
}

void Recorder::record(uint32_t track, uint32_t name, activity::Kind kind, std::chrono::steady_clock::time_point begin,
                      std::chrono::steady_clock::time_point end, int32_t microbatch, int64_t bytes,
                      std::span<const activity::Transfer> transfers) {
  if (trace_.activities.size() == capacity_ || trace_.transfers.size() + transfers.size() > capacity_) {
    ++trace_.dropped;
    return;
  }
  for (activity::Transfer transfer : transfers) {
    transfer.activity = static_cast<uint32_t>(trace_.activities.size());
    trace_.transfers.push_back(transfer);
  }
  trace_.activities.push_back({nanoseconds(begin), nanoseconds(end), name, track, kind, step_, microbatch, bytes});
}

void Recorder::forget() {
  trace_.activities.clear();
  trace_.transfers.clear();
  trace_.dropped = 0;
}

activity::Trace Recorder::take() {
  activity::Trace taken = std::move(trace_);
  trace_ = {};
  names_.clear();
  tracks_.clear();
  return taken;
}

}  // namespace lockstep::profiler
