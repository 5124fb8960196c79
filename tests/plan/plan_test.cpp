#include "reference_trainer/plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "adapters/contract/failure.h"
#include "profiler/activity/flows.h"
#include "reference_trainer/graph/gradients.h"
#include "reference_trainer/plan/schedule/table.h"
#include "reference_trainer/plan/timeline.h"
#include "reference_trainer/plan/timeline_transfers.h"
#include "reference_trainer/plan/traffic.h"
#include "tests/plan/workload_graph.h"
#include "tests/test_name.h"

namespace lockstep::plan {
namespace {

using testing::HasSubstr;

Plan plan_of(const std::string& workload, const std::string& strategy) {
  return make_plan(workload_graph(workload), text::parse_strategy(strategy));
}

class EachWorkload : public testing::TestWithParam<const char*> {};

/// Under dp nothing moves inside forward and backward: each gradient and the two metrics are sums over dp, and whoever
/// wants them whole adds them up.
TEST_P(EachWorkload, DpSumsGradientsAndMetricsAndNothingElse) {
  const Plan plan = plan_of(GetParam(), "dp2");
  const graph::Graph& graph = plan.stages[0].local.graph;
  EXPECT_TRUE(plan.stages[0].local.exchanges.empty());
  for (const Slot& slot : plan.slots) EXPECT_THAT(slot.sum, testing::ElementsAre(Axis::dp));
  for (graph::TensorId metric : {graph.loss, graph.correct})
    EXPECT_THAT(plan.stages[0].local.layouts[static_cast<size_t>(metric)].partial, testing::ElementsAre(Axis::dp));
}

TEST_P(EachWorkload, SerialExchangesNothing) {
  const Plan plan = plan_of(GetParam(), "serial");
  EXPECT_TRUE(plan.stages[0].local.exchanges.empty());
  EXPECT_TRUE(plan.buckets.empty());
  for (const Layout& layout : plan.stages[0].local.layouts) {
    EXPECT_TRUE(layout.partial.empty());
    for (const auto& axes : layout.split) EXPECT_TRUE(axes.empty());
  }
}

TEST_P(EachWorkload, BucketsAreContiguousCoverAllAndEndWithTheControlSlot) {
  for (const char* strategy : {"dp2", "dp2/bucket:1kB", "dp3/bucket:4KiB", "dp2/bucket:1B"}) {
    const Plan plan = plan_of(GetParam(), strategy);
    int64_t end = 0;
    int32_t ready = -1;
    for (const Bucket& bucket : plan.buckets) {
      EXPECT_EQ(bucket.offset, end);
      EXPECT_GT(bucket.ready_after, ready) << "buckets start in the order in which their gradients are made";
      end += bucket.count;
      ready = bucket.ready_after;
    }
    EXPECT_EQ(end, plan.flat_count);
    EXPECT_EQ(plan.control_slot(), plan.slots.back().offset + plan.slots.back().count);
    for (const Slot& slot : plan.slots) EXPECT_EQ(slot.offset % 16, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EachWorkload, testing::ValuesIn(kWorkloads),
                         [](const auto& info) { return test_name({info.param}); });

std::string why_not_of(const std::string& workload, const std::string& strategy) {
  try {
    plan_of(workload, strategy);
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "it was planned";
}

graph::Graph with_batch_norm() {
  return graph::build(
      R"({"inputs": {"x": {"dims": {"chan_in": 4}, "type": "real"}, "label": {"dims": {}, "type": "index"}},
    "graph": [{"op": "batch_norm", "name": "bn", "in": "x", "norm_group": 8},
              {"op": "linear", "name": "fc", "in": "bn", "out": {"class": 3}},
              {"op": "softmax_cross_entropy", "name": "loss", "in": ["fc", "label"]}]})");
}

/// Statistics over samples would change with the microbatches: these take whole groups, in their order.
TEST(MakePlan, GivesMicrobatchesWholeGroupsOfBatchNorm) {
  const Plan plan = make_plan(with_batch_norm(), text::parse_strategy("serial/accum:m=3"));
  EXPECT_EQ(plan.samples_together, 8);
  EXPECT_EQ(plan.samples_of(33, 0).size(), 16);
  EXPECT_EQ(plan.samples_of(33, 1).size(), 16);
  EXPECT_EQ(plan.samples_of(33, 2).size(), 1);
}

/// Of 9 samples rank 0 has 5 and rank 1 has 4: the third group is of one sample, and both have it.
TEST(MakePlan, GivesMicrobatchesOfSeveralRanksTheSameGroups) {
  for (int rank : {0, 1}) {
    const Plan plan =
        make_plan(workload_graph("resnet20"), text::parse_strategy("dp2/accum:m=3/sync_bn"), {4, true, rank});
    EXPECT_EQ(plan.samples_together, 2);
    EXPECT_EQ(plan.samples_of(9, 0).size(), 2);
    EXPECT_EQ(plan.samples_of(9, 1).size(), 2);
    EXPECT_EQ(plan.samples_of(9, 2).size(), 1 - rank);
    EXPECT_EQ(plan.bound_samples(9, 2), 1) << "the second rank's is padding";
  }
  const Plan two = make_plan(workload_graph("resnet20"), text::parse_strategy("dp2/accum:m=2/sync_bn"), {4, true, 1});
  EXPECT_EQ(two.samples_of(9, 0).size(), 4) << "two groups, as the first rank has";
  EXPECT_EQ(two.samples_of(9, 1).size(), 0);
}

TEST(MakePlan, RefusesMicrobatchesThatWouldTakeGroupsOutOfOrder) {
  const std::string rule =
      "2 microbatches of batch_norm \"bn\": its running statistics take the groups of a step one after the other, and ";
  EXPECT_EQ(why_not_of("resnet20", "pp2/chimera:m=2"),
            "pp2/chimera:m=2: " + rule +
                "under chimera each of 2 stages has 2 replicas, each with 1 of 2 microbatches; 1f1b:m=2 takes them in "
                "order, or take a workload without that op");
  EXPECT_EQ(why_not_of("resnet20", "pp2/arrival:m=2"),
            "pp2/arrival:m=2: " + rule +
                "in order of arrival no stage has a fixed order; 1f1b:m=2 takes them in order, or take a workload "
                "without that op");
  EXPECT_THAT(why_not_of("resnet20", "dp2/accum:m=2"), testing::HasSubstr("add /sync_bn"));
}

TEST(Lower, RefusesToSplitAGroupOfBatchNorm) {
  const graph::Graph graph = with_batch_norm();
  EXPECT_NO_THROW(make_plan(graph, text::parse_strategy("serial")));
  try {
    make_plan(graph, text::parse_strategy("dp2"));
    FAIL() << "dp2 was planned";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.kind(), "unsupported");
    EXPECT_THAT(failure.what(), HasSubstr("\"bn\""));
    EXPECT_THAT(failure.what(), HasSubstr("norm_group is 8 samples"));
    EXPECT_THAT(failure.what(), HasSubstr("over 2 ranks"));
    EXPECT_THAT(failure.what(), HasSubstr("add /sync_bn"));
  }
}

/// Of the samples of a group every rank has as many, or none of its statistics could be put together.
TEST(Lower, SynchronisesGroupsOfBatchNormThatRanksDivide) {
  const graph::Graph graph = with_batch_norm();
  for (const char* strategy : {"dp2/sync_bn", "dp4/sync_bn", "dp8/sync_bn"}) {
    const Plan plan = make_plan(graph, text::parse_strategy(strategy));
    const auto reduces = std::ranges::count_if(plan.stages[0].local.exchanges, [](const Exchange& exchange) {
      return exchange.conversion.kind == Conversion::all_reduce && exchange.conversion.axis == Axis::dp;
    });
    EXPECT_EQ(reduces, 2) << strategy << ": one forward and one backward";
    EXPECT_THAT(plan.moves_samples, testing::ElementsAre(Axis::dp)) << "so that all have as many rows";
  }
  const auto why_not = [&](const char* strategy) -> std::string {
    try {
      make_plan(graph, text::parse_strategy(strategy));
    } catch (const Failure& failure) {
      return failure.what();
    }
    return "it was planned";
  };
  EXPECT_EQ(
      why_not("dp3/sync_bn"),
      "dp3 would split the batch of batch_norm \"bn\" over 3 ranks, but its norm_group is 8 samples, of which each "
      "rank must have as many; the nearest that divides 8 is dp4");
  EXPECT_EQ(
      why_not("dp2.h2/sync_bn"),
      "h2 splits nothing in this workload: none of its ops has a loop that the rules of h name; take dp2 instead");
  EXPECT_THAT(why_not_of("mlp-digits", "dp2/sync_bn"), HasSubstr("no op takes statistics over samples"));
}

TEST(MakePlan, RefusesWhatThisVersionLacksWithReasonAndNearest) {
  try {
    plan_of("mlp-digits", "dp2/priority:1MB");
    FAIL() << "priority was planned";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.kind(), "unsupported");
    EXPECT_THAT(failure.what(), HasSubstr("priority:1MB"));
    EXPECT_THAT(failure.what(), HasSubstr("the nearest that runs is"));
  }
}

TEST(Expand, SerialSendsNothing) {
  const Plan plan = plan_of("mlp-digits", "serial");
  EXPECT_EQ(text::print(plan.actions), "0F0 0B0 0STEP");
  EXPECT_EQ(print(plan.body),
            fmt::format("load m0\nrun 0..{0} m0\nrun {0}..{1} m0\ndecide\nprobe\nupdate\n",
                        plan.stages[0].local.graph.forward_ops, plan.stages[0].local.graph.ops.size()));
}

TEST(Expand, SerialWithMicrobatchesAddsThem) {
  const Plan plan = plan_of("mlp-digits", "serial/accum:m=2");
  EXPECT_EQ(text::print(plan.actions), "0F0 0B0 0F1 0B1 0STEP");
  EXPECT_EQ(print(plan.body),
            fmt::format("load m0\nrun 0..{0} m0\nrun {0}..{1} m0\naccumulate m0\n"
                        "load m1\nrun 0..{0} m1\nrun {0}..{1} m1\naccumulate m1\n"
                        "decide\nprobe\nupdate\n",
                        plan.stages[0].local.graph.forward_ops, plan.stages[0].local.graph.ops.size()));
}

TEST(Expand, OneBucket) {
  const Plan plan = plan_of("mlp-digits", "dp2");
  const auto forward = plan.stages[0].local.graph.forward_ops;
  const auto ready = plan.buckets[0].ready_after + 1;
  EXPECT_EQ(text::print(plan.actions), "0F0 0B0 0REDUCE 0STEP");
  EXPECT_EQ(
      print(plan.body),
      fmt::format("load m0\nrun 0..{0} m0\nrun {0}..{1} m0\nstart bucket 0\nwait bucket 0\ndecide\nprobe\nupdate\n",
                  forward, ready));
}

/// Each bucket starts right after its last gradient, so that the rest of backward runs beside the exchange.
TEST(Expand, BucketsStartInsideBackward) {
  const Plan plan = plan_of("mlp-digits", "dp2/bucket:1B");
  ASSERT_EQ(plan.buckets.size(), plan.slots.size() / 2) << "weight and bias of a layer are ready together";
  size_t starts = 0;
  for (size_t i = 0; i < plan.body.size(); ++i) {
    if (plan.body[i].op != Instruction::start) continue;
    ASSERT_EQ(plan.body[i - 1].op, Instruction::run);
    EXPECT_EQ(plan.body[i - 1].last, plan.buckets[starts++].ready_after + 1);
  }
  EXPECT_EQ(starts, plan.buckets.size());
}

/// With several microbatches nothing is sent before the last one's gradients are added.
TEST(Expand, AccumulationStartsExchangesAfterTheLastMicrobatch) {
  const std::string text = print(plan_of("mlp-digits", "dp2/accum:m=3").body);
  EXPECT_THAT(text, HasSubstr("accumulate m0\nload m1"));
  EXPECT_THAT(text, HasSubstr("accumulate m2\nstart bucket 0\nwait bucket 0\ndecide"));
}

/// What fills the pipeline, and then step after step, is the schedule's list, for a run of any length: what would come
/// after its end is left out.
TEST(Expand, WithoutAFlushStepsJoinToTheScheduleOfTheRun) {
  for (const char* strategy :
       {"pp2/pipedream", "pp3/pipedream:m=2", "pp3/pipedream:m=5", "pp3/pipedream:weights=2bw"}) {
    for (int rank = 0; rank < text::ranks(text::parse_strategy(strategy)); ++rank) {
      const Plan plan = make_plan(workload_graph("mlp-digits"), text::parse_strategy(strategy), {4, true, rank});
      for (int steps = 1; steps < 6; ++steps) {
        const int microbatches = steps * plan.microbatches;
        std::vector<text::Action> joined, listed;
        const auto add = [&](const text::Action& action, int first) {
          if (action.kind != text::ActionKind::STEP && action.microbatch + first < microbatches)
            joined.push_back({action.stage, action.kind, action.microbatch + first});
        };
        for (const text::Action& action : plan.fill) add(action, 0);
        for (int step = 0; step < steps; ++step) {
          for (const text::Action& action : plan.actions) add(action, step * plan.microbatches);
        }
        const auto run = schedule::generate(
            "pipedream", {.ranks = plan.stale->ranks, .microbatches = microbatches, .per_update = plan.microbatches});
        for (const text::Action& action : run.ranks[static_cast<size_t>(rank)]) {
          if (action.kind != text::ActionKind::STEP) listed.push_back(action);
        }
        EXPECT_EQ(text::print(joined), text::print(listed))
            << strategy << " rank " << rank << ", " << steps << " steps";
      }
    }
  }
}

TEST(Expand, TheFirstStageOfAPipelineWithoutAFlush) {
  const Plan plan = make_plan(workload_graph("mlp-digits"), text::parse_strategy("pp3/pipedream"), {4, true, 0});
  EXPECT_EQ(text::print(plan.fill), "0F0 0F1");
  EXPECT_EQ(text::print(plan.actions), "0F2 0B0 0STEP");
  const auto forward = plan.stages[0].graph().forward_ops;
  EXPECT_EQ(print(plan.prologue), fmt::format("load m0\nrun 0..{0} m0\nload m1\nrun 0..{0} m1\n", forward));
  EXPECT_EQ(print(plan.body), fmt::format("load m2\nrun 0..{0} m2\nrun {0}..{1} m0\ndecide\nprobe\nupdate\n", forward,
                                          plan.stages[0].graph().ops.size()));
}

TEST(Shares, GiveEachSampleToOneRankAndOneMicrobatch) {
  for (int64_t samples : {0, 1, 5, 12, 100}) {
    for (int ranks : {1, 2, 3, 8}) {
      int64_t sum = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const int64_t share = share_of(samples, rank, ranks);
        sum += share;
        EXPECT_LE(share_of(samples, 0, ranks) - share, 1);
        for (int m : {1, 2, 7}) {
          EXPECT_EQ(microbatch_begin(share, 0, m), 0);
          EXPECT_EQ(microbatch_begin(share, m, m), share);
          EXPECT_EQ(microbatch_begin(share, m, m, 4), share);
          for (int part = 0; part < m; ++part) {
            const int64_t begin = microbatch_begin(share, part, m, 4), end = microbatch_begin(share, part + 1, m, 4);
            EXPECT_TRUE(begin % 4 == 0 || begin == share) << begin;
            EXPECT_LE(begin, end);
            EXPECT_LE(end - begin, microbatch_begin(share, 1, m, 4)) << "the first one is the longest";
          }
        }
      }
      EXPECT_EQ(sum, samples);
    }
  }
}

TEST(PlannedTimeline, LastsAsLongAsTheStepAndWaitsForItsExchanges) {
  const Plan plan = plan_of("gpt-austen", "dp2/bucket:4kB");
  const activity::Trace trace = planned_timeline(plan, 12, 4, 1'000'000);
  EXPECT_EQ(trace.origin, activity::Origin::planned);
  int64_t end = 0, exchanges = 0;
  for (const activity::Activity& a : trace.activities) {
    EXPECT_LE(a.begin_ns, a.end_ns);
    end = std::max(end, a.end_ns);
    if (a.kind == activity::Kind::communication) ++exchanges;
  }
  EXPECT_NEAR(static_cast<double>(end), 1e6, 2);
  EXPECT_EQ(exchanges, static_cast<int64_t>(2 * plan.buckets.size()));
}

/// Each send of a planned pipeline has its receive, later, of as many bytes; a rank sends what its plan says.
TEST(PlannedTimeline, OfAPipelineTellsWhoSendsWhatToWhom) {
  const graph::Graph forward = workload_graph("gpt-austen");
  for (const char* text : {"pp2/1f1b:m=4", "pp2.dp2/gpipe:m=2", "pp2/interleaved:v=2,m=4", "pp2/zb_h1:m=4",
                           "pp2/chimera:m=4", "pp2.tp2/1f1b:m=3"}) {
    const text::Strategy strategy = text::parse_strategy(text);
    const std::vector<Plan> places = plan_places(forward, strategy, {});
    ASSERT_EQ(places.size(), 2u) << text;
    const activity::Trace trace = planned_timeline(places[0], 12, 4, 1'000'000, places);
    const std::vector<activity::Flow> flows = activity::flows_of(trace);
    ASSERT_FALSE(flows.empty()) << text;
    EXPECT_EQ(2 * flows.size(), trace.transfers.size()) << text;
    std::map<int32_t, int64_t> sent;
    for (const activity::Flow& flow : flows) {
      const activity::Transfer &send = trace.transfers[flow.send], &recv = trace.transfers[flow.recv];
      EXPECT_EQ(send.bytes, recv.bytes) << text;
      EXPECT_LE(trace.activities[send.activity].end_ns, trace.activities[recv.activity].begin_ns + 1) << text;
      sent[trace.tracks[trace.activities[send.activity].track].rank] += send.bytes;
    }
    int64_t planned = 0;
    for (const Communication& one : communications(places[0], {.batch = 12})) {
      if (one.operation == "send" && one.what == "activations, gradients") planned += one.calls * one.sent;
    }
    EXPECT_EQ(sent[0], planned) << text;
  }
}

}  // namespace
}  // namespace lockstep::plan
