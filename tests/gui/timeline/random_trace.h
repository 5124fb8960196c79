#pragma once

#include <random>

#include "profiler/activity/activity.h"

namespace lockstep::gui::timeline::testing {

/// A trace of a rank: `n` activities in steps of about 40 on a main track, with nested and zero-length ones and bursts,
/// and communication that overlaps itself.
inline activity::Trace random_trace(int32_t rank, int n, uint32_t seed = 1) {
  using activity::Kind;
  activity::Trace out;
  out.names = {"fc1", "fc2", "att", "update", "all_reduce", "wait gradients", "mark"};
  out.tracks = {{rank, "communication"}, {rank, "main"}};
  std::mt19937 random(seed + static_cast<uint32_t>(rank));
  const auto upto = [&](int64_t most) { return static_cast<int64_t>(random() % static_cast<uint64_t>(most)); };
  constexpr Kind kKinds[] = {Kind::compute,       Kind::compute, Kind::recompute, Kind::optimizer,
                             Kind::communication, Kind::wait,    Kind::other};
  int64_t now = 5'000'000'000 + upto(1000);
  for (int i = 0; i < n; ++i) {
    const auto name = static_cast<uint32_t>(upto(7));
    const bool burst = (i / 500) % 3 == 1;
    int64_t length = burst ? upto(40) : upto(1 + (int64_t{1} << upto(18)));
    const uint32_t track = name == 4 ? 0 : 1;
    if (name == 6) length = 0;
    out.activities.push_back(
        {now, now + length, name, track, kKinds[name], i / 40, i % 4, name == 4 ? 4096 + upto(100) : 0});
    if (i % 7 == 3 && length > 2) {  // something inside it
      out.activities.push_back({now + length / 4, now + length / 2, 0, track, Kind::compute, i / 40, i % 4, 0});
      ++i;
    }
    now += track == 0 ? length / 3 : length + upto(burst ? 20 : 500);
  }
  return out;
}

}  // namespace lockstep::gui::timeline::testing
