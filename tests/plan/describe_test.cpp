// What a plan says of itself, against the formulas of the papers.
#include "reference_trainer/plan/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "adapters/contract/failure.h"
#include "reference_trainer/plan/schedule/table.h"
#include "reference_trainer/plan/timeline.h"
#include "reference_trainer/plan/traffic.h"
#include "tests/plan/workload_graph.h"

namespace lockstep::plan {
namespace {

using testing::HasSubstr;

constexpr Work kAdamWork{24, 4, 2, false};

graph::Graph micro(const std::string& id, const std::vector<std::string>& arguments = {}) {
  return graph::build(workloads::resolve(LOCKSTEP_SOURCE_DIR "/workloads", id, "micro", arguments).json());
}

Description described(const std::string& strategy, const std::vector<std::string>& arguments = {}) {
  return describe(micro("gpt-austen", arguments), text::parse_strategy(strategy), kAdamWork);
}

std::string refusal(const std::string& workload, const std::string& strategy) {
  try {
    make_plan(workload_graph(workload), text::parse_strategy(strategy));
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.kind(), "unsupported");
    return failure.what();
  }
  return "planned";
}

const ExchangeLine* find_line(const Description& d, const std::string& operation, const std::string& axis) {
  for (const ExchangeLine& line : d.exchanges) {
    if (line.operation == operation && line.axis == axis) return &line;
  }
  return nullptr;
}

TEST(Describe, DataParallelSendsTwiceTheShareOfTheOthers) {
  for (int ranks : {2, 3, 4, 8}) {
    const Description d = described(fmt::format("dp{}", ranks));
    ASSERT_EQ(d.exchanges.size(), 1u);
    const int64_t bytes = d.exchanges[0].places[0].bytes();
    EXPECT_EQ(bytes, d.places[0].memory.gradients);
    EXPECT_EQ(d.sent_bytes(), 2 * bytes * (ranks - 1) / ranks);
  }
  EXPECT_TRUE(described("serial").exchanges.empty());
}

/// Rajbhandari et al. 2020, section 7: levels 1 and 2 send what data parallelism does, level 3 half as much again; less
/// the second gather of the position table, which backward does not read.
TEST(Describe, ZeroSendsAsMuchAsDataParallelAndLevel3HalfAgain) {
  for (int ranks : {2, 4, 8}) {
    const auto whole = static_cast<double>(described(fmt::format("dp{}", ranks)).sent_bytes());
    for (const auto& [level, factor] : {std::pair(1, 1.0), {2, 1.0}, {3, 1.5}}) {
      const Description d = described(fmt::format("dp{}/zero{}", ranks, level));
      const double not_read = level == 3 ? 16 * 16 * 4.0 * (ranks - 1) / ranks : 0;
      // Shards of buckets are whole elements, and level 3 has a bucket a layer.
      EXPECT_NEAR(static_cast<double>(d.sent_bytes()), factor * whole - not_read, 0.002 * whole)
          << ranks << " ranks, zero" << level;
    }
  }
}

/// Section 5 of the same, for fp32 with two arrays of AdamW: 4 + 4 + 8 bytes a parameter, each part over the ranks from
/// its level on.
TEST(Describe, ZeroKeepsTheSharesOfItsLevel) {
  const int64_t flat = described("serial").places[0].memory.parameters;
  for (int ranks : {2, 4, 8}) {
    for (int level : {1, 2, 3}) {
      const MemoryPlan memory = described(fmt::format("dp{}/zero{}", ranks, level)).places[0].memory;
      const auto near = [&](int64_t bytes, int64_t arrays, bool sharded) {
        const auto wanted = static_cast<double>(arrays * flat) / (sharded ? ranks : 1);
        EXPECT_NEAR(static_cast<double>(bytes), wanted, 0.005 * wanted) << ranks << " ranks, zero" << level;
      };
      near(memory.parameters, 1, level >= 3);
      near(memory.gradients, 1, level >= 2);
      near(memory.optimizer, 2, true);
    }
  }
}

/// Rajbhandari et al. 2020, section 6.1: what is kept between forward and backward shrinks by the tensor-parallel
/// degree, for one gather of each checkpoint more.
TEST(PartitionedCheckpoints, ShrinkByTheDegreeForOneGatherEach) {
  const auto kept = [](const Plan& plan) {
    const graph::Graph& graph = plan.stages[0].graph();
    std::set<graph::TensorId> made, read;
    for (size_t i = 0; i < graph.ops.size(); ++i) {
      const graph::Op& op = graph.ops[i];
      if (static_cast<int32_t>(i) < graph.forward_ops) made.insert(op.out.begin(), op.out.end());
      if (static_cast<int32_t>(i) >= graph.forward_ops) read.insert(op.in.begin(), op.in.end());
    }
    int64_t elements = 0;
    for (graph::TensorId id : made) {
      const Layout& layout = plan.stages[0].local.layouts[static_cast<size_t>(id)];
      const bool split = std::ranges::any_of(layout.split, [](const auto& axes) { return contains(axes, Axis::tp); });
      const bool counts = read.contains(id) && graph.tensor(id).role == graph::Role::activation;
      // What is split anyway, or too short to be, is as it was.
      if (counts && (!split || graph.tensor(id).name.ends_with(" (part)")))
        elements += graph::elements(graph.tensor(id), 1);
    }
    return elements;
  };
  const Plan whole = make_plan(micro("gpt-austen"), text::parse_strategy("tp2/recompute:full"));
  const Plan parts = make_plan(micro("gpt-austen"), text::parse_strategy("tp2/recompute:full/partition_activations"));
  EXPECT_GT(kept(parts), 0);
  EXPECT_EQ(2 * kept(parts), kept(whole));
  const Work work{24, 4, 2, false};
  EXPECT_LT(peak_memory(parts, work).activations, peak_memory(whole, work).activations);
  const int64_t more =
      sent_in_all(communications(parts, work), false) - sent_in_all(communications(whole, work), false);
  EXPECT_EQ(more, kept(parts) * 24 * 4) << "the other rank's half is what each sends of its own";
  EXPECT_THAT(refusal("gpt-austen", "tp2/partition_activations"), HasSubstr("add recompute:full"));
}

TEST(Offload, LeavesAWindowOfTheOptimizersArraysInMemory) {
  const MemoryPlan kept = described("serial").places[0].memory, off = described("serial/offload:disk").places[0].memory;
  EXPECT_EQ(off.offloaded, kept.optimizer);
  EXPECT_EQ(off.optimizer, kept.optimizer) << "smaller than a window";
  const Work work{16, 4, 2, false};
  const auto large =
      graph::build(workloads::resolve(LOCKSTEP_SOURCE_DIR "/workloads", "gpt-austen", "desk", {}).json());
  const MemoryPlan memory = describe(large, text::parse_strategy("serial/offload:disk"), work).places[0].memory;
  EXPECT_EQ(memory.optimizer, 2 * 4 * kOffloadWindow);
  EXPECT_EQ(memory.offloaded, describe(large, text::parse_strategy("serial"), work).places[0].memory.optimizer);
  EXPECT_GT(memory.offloaded, memory.optimizer);
  EXPECT_THAT(refusal("mlp-digits", "pp2/pipedream:weights=predict/offload:disk"), HasSubstr("or take weights=stash"));
}

/// Each gather begins once, after the one before the one before it at the latest, and never in another part of the
/// step; nothing more is sent, and memory for one more layer is planned.
TEST(Prefetch, BeginsEachGatherAheadInItsPart) {
  const Plan plain = make_plan(micro("gpt-austen"), text::parse_strategy("dp2/zero3"));
  const Plan ahead = make_plan(micro("gpt-austen"), text::parse_strategy("dp2/zero3/prefetch:1"));
  const graph::Graph &before = plain.stages[0].graph(), &graph = ahead.stages[0].graph();
  std::vector<int32_t> begun;
  int gathers = 0;
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const graph::Op& op = graph.ops[i];
    if (op.kind != graph::OpKind::gather_shards) continue;
    if (static_cast<int32_t>(i) == graph.forward_ops) {
      EXPECT_TRUE(begun.empty()) << "it began in forward";
    }
    if (op.out.empty()) {
      begun.push_back(op.attr.exchange);
      EXPECT_EQ(begun.size(), 1u) << "more than one is ahead";
      continue;
    }
    ++gathers;
    if (!begun.empty()) {
      EXPECT_EQ(begun.front(), op.attr.exchange);
      begun.clear();
    }
  }
  EXPECT_EQ(graph.ops.size(), before.ops.size() + static_cast<size_t>(gathers) - 2) << "all but the first of each half";
  const Description d = described("dp2/zero3"), e = described("dp2/zero3/prefetch:1");
  EXPECT_EQ(e.sent_bytes(), d.sent_bytes());
  EXPECT_EQ(e.places[0].memory.comm, 3 * d.places[0].memory.comm) << "one to scatter, two to gather";
  EXPECT_THAT(refusal("gpt-austen", "dp2/zero2/prefetch:1"), HasSubstr("at level 2; take zero3"));
}

/// The planned timeline of the same work is shorter where gathers run beside it.
TEST(Prefetch, OverlapsInThePlannedTimeline) {
  const auto waits = [](const char* strategy) {
    const activity::Trace trace =
        planned_timeline(make_plan(micro("gpt-austen"), text::parse_strategy(strategy)), 12, 4, 1'000'000);
    int64_t waited = 0;
    for (const activity::Activity& a : trace.activities) {
      if (a.kind == activity::Kind::wait) waited += a.end_ns - a.begin_ns;
    }
    return waited;
  };
  EXPECT_LT(waits("dp2/zero3/prefetch:1"), waits("dp2/zero3"));
}

/// Zhang et al. 2022 (MiCS), section 3: with groups of g of p ranks each keeps 1/g of the model; a rank sends its part
/// of a reduce-scatter and of the gathers among g, and twice its shard among the p/g that have the same.
TEST(Describe, HybridShardingKeepsAndSendsByItsGroup) {
  const auto flat = static_cast<double>(described("serial").places[0].memory.parameters);
  for (const auto& [ranks, group] : {std::pair(4, 2), {8, 2}, {8, 4}}) {
    for (int level : {1, 2, 3}) {
      const Description d = described(fmt::format("dp{}/hsdp:group={},level={}", ranks, group, level));
      const double inside = flat * (group - 1) / group, shard = flat / group;
      const double gathers = level == 3 ? 2 * inside - 16 * 16 * 4.0 * (group - 1) / group : inside;
      const double replicas = 1.0 * ranks / group, across = 2 * shard * (replicas - 1) / replicas;
      EXPECT_NEAR(static_cast<double>(d.sent_bytes()), inside + gathers + across, 0.005 * flat)
          << ranks << " ranks, groups of " << group << ", level " << level;
      EXPECT_NEAR(static_cast<double>(d.places[0].memory.optimizer), 2 * shard, 0.01 * flat);
      EXPECT_NEAR(static_cast<double>(d.places[0].memory.parameters), level == 3 ? shard : flat, 0.01 * flat);
    }
  }
}

/// Shoeybi et al. 2019, section 3: two all-reduces a layer in forward and two in backward, each of batch x positions x
/// width.
TEST(Describe, MegatronReducesTwiceALayerEachWay) {
  const Plan plan = make_plan(micro("gpt-austen"), text::parse_strategy("tp2"));
  const LocalGraph& local = plan.stages[0].local;
  for (const char* layer : {" b0.", " b1."}) {
    int forward = 0, backward = 0;
    for (size_t i = 0; i < local.graph.ops.size(); ++i) {
      const graph::Op& op = local.graph.ops[i];
      if (op.kind != graph::OpKind::exchange) continue;
      const Exchange& exchange = local.exchanges[static_cast<size_t>(op.attr.exchange)];
      if (exchange.conversion.kind != Conversion::all_reduce || exchange.why.find(layer) == std::string::npos) continue;
      EXPECT_EQ(graph::elements(local.graph.tensor(exchange.in), 3), 3 * 16 * 16);
      ++(static_cast<int32_t>(i) < local.graph.forward_ops ? forward : backward);
    }
    EXPECT_EQ(forward, 2) << layer;
    EXPECT_EQ(backward, 2) << layer;
  }
  const ExchangeLine* line = find_line(described("tp2"), "all_reduce activations", "tp");
  ASSERT_NE(line, nullptr);
}

/// Korthikanti et al. 2022, section 4.2.2: sequence parallelism sends what tensor parallelism does, as pairs of
/// reduce-scatter and all-gather; it gathers again in backward what it did not keep.
TEST(Describe, SequenceParallelismScattersAndGathersInPlaceOfReducing) {
  const Description d = described("tp2/sp");
  EXPECT_EQ(find_line(d, "all_reduce activations", "tp"), nullptr);
  const ExchangeLine *scatters = find_line(d, "reduce_scatter activations", "tp"),
                     *gathers = find_line(d, "all_gather activations", "tp");
  ASSERT_NE(scatters, nullptr);
  ASSERT_NE(gathers, nullptr);
  EXPECT_GE(gathers->places[0].count(), scatters->places[0].count());
}

TEST(Describe, BubblesAndActivationsInFlightEqualTheFormulas) {
  for (int p : {2, 4}) {
    for (int m : {4, 8}) {
      for (const char* name : {"gpipe", "1f1b", "chimera", "zb_h1"}) {
        const schedule::Row& row = schedule::find_schedule(name);
        const schedule::Numbers numbers{p, m, 1, 1};
        const Description d = described(fmt::format("pp{}/{}:m={}", p, name, m), {"layers=3"});
        ASSERT_TRUE(d.pipeline.has_value());
        if (!row.equal_passes) {
          EXPECT_DOUBLE_EQ(d.pipeline->bubble, schedule::bubble(row, numbers, {1, 1, 1}))
              << name << " " << p << " " << m;
        }
        const std::vector<int> in_flight = schedule::in_flight(row, numbers);
        for (size_t place = 0; place < d.places.size(); ++place)
          EXPECT_EQ(d.places[place].in_flight, in_flight[place]) << name << " " << p << " " << m;
      }
      const Description d = described(fmt::format("pp{}/1f1b:m={}", p, m), {"layers=3"});
      EXPECT_DOUBLE_EQ(d.pipeline->bubble, static_cast<double>(p - 1) / (m + p - 1));
      EXPECT_DOUBLE_EQ(d.pipeline->of_ideal(), static_cast<double>(p - 1) / m);
    }
  }
}

/// Narayanan et al. 2019, section 3.3: the first of p stages keeps p versions of its weights, the last one 1; with 2BW
/// (2021) each keeps 2. Activations of p - s microbatches; no stage is idle once the pipeline is full.
TEST(Describe, WithoutAFlushVersionsAreKeptAndNobodyIsIdle) {
  const auto of = [](const std::string& strategy) {
    return describe(workload_graph("mlp-digits"), text::parse_strategy(strategy), {12, 4, 1, false});
  };
  const auto versions = [](const Description& d) {
    std::vector<int> out;
    for (const PlaceView& place : d.places) out.push_back(place.versions);
    return out;
  };
  EXPECT_THAT(versions(of("pp3/pipedream:weights=stash")), testing::ElementsAre(3, 2, 1));
  EXPECT_THAT(versions(of("pp3/pipedream:weights=vertical")), testing::ElementsAre(3, 3, 3));
  EXPECT_THAT(versions(of("pp3/pipedream:weights=2bw")), testing::ElementsAre(2, 2, 2));
  EXPECT_THAT(versions(of("pp3/pipedream:weights=predict")), testing::ElementsAre(2, 2, 1));
  EXPECT_THAT(versions(of("pp3/1f1b:m=3")), testing::ElementsAre(1, 1, 1));
  const Description d = of("pp3/pipedream:weights=stash"), flushed = of("pp3/1f1b:m=3");
  for (size_t place = 0; place < 3; ++place) {
    const MemoryPlan &memory = d.places[place].memory, &other = flushed.places[place].memory;
    EXPECT_EQ(memory.stashed, static_cast<int64_t>(2 - place) * memory.parameters);
    EXPECT_EQ(memory.parameters, other.parameters);
    EXPECT_EQ(memory.total(), memory.parameters + memory.stashed + memory.gradients + memory.optimizer +
                                  memory.activations + memory.comm);
    EXPECT_EQ(d.places[place].in_flight, 3 - static_cast<int>(place));
  }
  ASSERT_TRUE(d.pipeline.has_value());
  EXPECT_EQ(d.pipeline->bubble, 0);
  EXPECT_EQ(d.pipeline->makespan, 3);
  EXPECT_GT(d.pipeline->uneven_bubble, 0.5) << "two of three layers lie on the first stage";
  EXPECT_EQ(of("pp3/pipedream:weights=2bw").pipeline->makespan, 9) << "an update has 3 microbatches";
}

/// A border's tensor goes one way and its gradient back, once a microbatch; the middle ranks do both.
TEST(Describe, PipelinesSendABorderEachWay) {
  const Description d = described("pp4/gpipe:m=4", {"layers=7"});
  const ExchangeLine* line = find_line(d, "send activations, gradients", "pp");
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(line->places[0].count(), 4);
  EXPECT_EQ(line->places[1].count(), 8);
  EXPECT_EQ(line->places[3].count(), 4);
}

TEST(Describe, SaysWhatLiesWhere) {
  const Description d = describe(
      graph::build(workloads::resolve(LOCKSTEP_SOURCE_DIR "/workloads", "gpt-austen", "desk", {"batch=32"}).json()),
      text::parse_strategy("pp2.dp2.tp2/1f1b:m=8/zero1"), {32, 4, 2, true});
  ASSERT_EQ(d.places.size(), 2u);
  EXPECT_EQ(d.places[0].contents, "embed (tied), pos, layers 0-1");
  EXPECT_EQ(d.places[1].contents, "layers 2-3, ln, head (tied)");
  EXPECT_THAT(d.places[1].ranks, testing::ElementsAre(4, 5, 6, 7));
  int64_t sum = 0;
  for (const ExchangeLine& line : d.exchanges) sum += line.places[0].sent;
  EXPECT_EQ(sum, d.places[0].sent);
}

TEST(Refusals, NameTheNumbersTheRuleAndTheNearestLegalChoice) {
  EXPECT_THAT(refusal("gpt-austen", "tp4"), HasSubstr("its heads 2 cannot be split 4 ways (tp4); tp2 is the most"));
  EXPECT_THAT(refusal("gpt-austen", "cp16"),
              HasSubstr("its seq 16 cannot be split 32 ways (cp16, two pieces a rank); cp8 is the most"));
  EXPECT_THAT(refusal("gpt-austen", "cp8.tp2/sp"), HasSubstr("is the most"));
  EXPECT_EQ(refusal("cnn-fashion", "h8"), "planned") << "what has too few rows stays whole";
  EXPECT_THAT(refusal("cnn-fashion", "h32"), HasSubstr("h32 splits nothing in this workload"));
  EXPECT_THAT(refusal("mlp-digits", "cp2"), HasSubstr("cp2 splits nothing in this workload"));
  EXPECT_THAT(refusal("mlp-digits", "pp64/1f1b:m=4"), HasSubstr("64 ranks x 1 chunk make 64 stages"));
  EXPECT_THAT(refusal("mlp-digits", "pp64/1f1b:m=4"), HasSubstr(" is the most"));
  EXPECT_THAT(refusal("gpt-austen", "pp2/interleaved:m=4,v=20"), HasSubstr("v=12 is the most"));
  EXPECT_THAT(refusal("gpt-austen", "pp2/interleaved:m=3,v=2"), HasSubstr("the nearest legal one is m=4"));
  EXPECT_EQ(
      refusal("mlp-digits", "pp3/pipedream:m=2,weights=2bw"),
      "pp3/pipedream:m=2,weights=2bw: pipedream:weights=2bw on 3 ranks needs m of at least 3 microbatches an update, "
      "not 2; the nearest legal one is m=3");
  EXPECT_THAT(
      refusal("gpt-austen", "pp3/pipedream"),
      HasSubstr("parameter embed.table has 2 owners along the pipeline, on stages that are up to 2 updates apart"));
  EXPECT_THAT(refusal("mlp-digits", "pp3.dp2/pipedream/zero1"), HasSubstr("leave zero1 out, or take 1f1b:m=3"));
  EXPECT_THAT(refusal("mlp-digits", "pp2/pipedream:weights=predict/recompute:full"),
              HasSubstr("or take weights=stash"));
  EXPECT_EQ(refusal("gpt-austen", "dp6/hsdp:group=4"),
            "dp6/hsdp:group=4: groups of 4 do not divide dp6; the nearest that does is group=3");
  EXPECT_THAT(refusal("gpt-austen", "dp4/hsdp:group=2/bucket:1MB"), HasSubstr("leave bucket out, or take level=2"));
  EXPECT_EQ(refusal("gpt-austen", "dp2.tp2@native"),
            "dp2.tp2@native: native is for all 4 ranks at once, but gradients are summed over 2 of them; leave @native "
            "out, or take @ring");
}

}  // namespace
}  // namespace lockstep::plan
