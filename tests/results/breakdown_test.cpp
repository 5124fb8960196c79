#include "results/snapshot/breakdown.h"

#include <gtest/gtest.h>

#include <tuple>

namespace lockstep::snapshot::breakdown_test {
namespace {

using activity::Kind;
using activity::Trace;

/// A rank's tracks: 0 main, 1 communication.
Trace trace_of(int32_t rank, const std::vector<std::tuple<uint32_t, Kind, int64_t, int64_t, int32_t>>& all) {
  Trace out;
  out.names = {"x"};
  out.tracks = {{rank, "main"}, {rank, "communication"}};
  for (const auto& [track, kind, begin, end, step] : all) out.activities.push_back({begin, end, 0, track, kind, step});
  return out;
}

TEST(Breakdown, EachNanosecondHasOneClass) {
  const std::vector<Trace> traces{trace_of(3, {{1, Kind::communication, 0, 50, -1},  // before the first step: not of it
                                               {0, Kind::data, 100, 110, 5},
                                               {0, Kind::compute, 110, 200, 5},
                                               {1, Kind::communication, 150, 280, 5},  // hidden until 200
                                               {0, Kind::wait, 200, 280, 5},
                                               {1, Kind::wait, 190, 240, 5},  // for a peer
                                               {0, Kind::optimizer, 290, 300, 6}})};
  const std::vector<RankBreakdown> ranks = breakdown(traces);
  ASSERT_EQ(ranks.size(), 1U);
  EXPECT_EQ(ranks[0].rank, 3);
  EXPECT_EQ(ranks[0].steps, 2);
  EXPECT_EQ(ranks[0].data_ns, 10);
  EXPECT_EQ(ranks[0].compute_ns, 100);
  EXPECT_EQ(ranks[0].waiting_ns, 40);
  EXPECT_EQ(ranks[0].transfer_ns, 40);
  EXPECT_EQ(ranks[0].other_ns, 10);
  EXPECT_EQ(ranks[0].total_ns(), 200);
  EXPECT_DOUBLE_EQ(ranks[0].s_per_step(ranks[0].compute_ns), 50e-9);
}

TEST(Breakdown, PlannedTracesAndRanksWithoutWorkAreLeftOut) {
  std::vector<Trace> traces{trace_of(0, {{0, Kind::compute, 0, 10, 0}}), trace_of(1, {{1, Kind::wait, 0, 10, 0}})};
  traces[0].origin = activity::Origin::planned;
  EXPECT_TRUE(breakdown(traces).empty());
}

TEST(Breakdown, OverlappingActivitiesCountOnce) {
  const std::vector<Trace> traces{trace_of(0, {{0, Kind::compute, 0, 10, 0}, {0, Kind::compute, 5, 20, 0}})};
  EXPECT_EQ(breakdown(traces).at(0).compute_ns, 20);
  EXPECT_EQ(breakdown(traces).at(0).total_ns(), 20);
}

}  // namespace
}  // namespace lockstep::snapshot::breakdown_test
