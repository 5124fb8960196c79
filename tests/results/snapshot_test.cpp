#include "results/snapshot/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/results/campaign_fixture.h"

namespace lockstep::snapshot {
namespace {

using store::testing::cell;
using testing::Campaign;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const store::CellRow kSerial = cell("mlp:tiny", "reference", "serial");
const store::CellRow kThreads = cell("mlp:tiny", "reference", "dp2", "threads", 2);
const store::CellRow kNull = cell("mlp:tiny", "reference", "dp2", "null", 2);
const store::CellRow kTorch = cell("mlp:tiny", "pytorch", "dp2", "gloo", 2);

// Six blocks in which everything drifts alike: serial 10 ms, threads 7.5, copies 6.
void fill(Campaign& c) {
  for (int64_t block = 1; block <= 6; ++block) {
    const double drift = 1 + 0.01 * static_cast<double>(block);
    c.finished(kSerial, block, 10 * drift);
    c.finished(kThreads, block, 7.5 * drift);
    c.finished(kNull, block, 6 * drift);
  }
}

TEST(Snapshot, ThroughputOverLaunches) {
  Campaign c;
  fill(c);
  const CampaignSnapshot snapshot = c.snapshot();
  ASSERT_EQ(snapshot.groups.size(), 1u);
  const WorkloadGroup& group = snapshot.groups[0];
  EXPECT_EQ(snapshot.counts.finished, 18);
  EXPECT_EQ(snapshot.blocks, 6);
  EXPECT_EQ(group.steps, 11);
  EXPECT_EQ(group.warmup, 1);
  EXPECT_EQ(group.batch_samples, 8);
  ASSERT_EQ(group.cells.size(), 3u);
  const CellSnapshot& serial = group.cells[0];
  EXPECT_TRUE(serial.is_base);
  EXPECT_FALSE(serial.tokens);
  EXPECT_EQ(serial.throughput.n, 6);
  EXPECT_EQ(serial.throughput.level, 0.96875);
  EXPECT_NEAR(serial.throughput.low, 800 / 1.06, 1e-3);
  EXPECT_NEAR(serial.throughput.high, 800 / 1.01, 1e-3);
  EXPECT_NEAR(serial.throughput.value, (800 / 1.03 + 800 / 1.04) / 2, 1e-3);
  EXPECT_NEAR(serial.step_s.value, 0.01035, 1e-7);
  EXPECT_EQ(serial.peak_memory_bytes.value, 50 << 20);
  EXPECT_EQ(serial.bytes_sent, 482);
  EXPECT_FALSE(serial.bytes_modelled);
}

TEST(Snapshot, EfficienciesArePairedByBlock) {
  Campaign c;
  fill(c);
  const CampaignSnapshot snapshot = c.snapshot();
  const CellSnapshot& threads = snapshot.groups[0].cells[1];
  EXPECT_TRUE(threads.against_serial.paired);
  EXPECT_EQ(threads.against_serial.base, kSerial.text);
  EXPECT_NEAR(threads.against_serial.estimate.value, 10 / 7.5 / 2, 1e-6);
  EXPECT_NEAR(threads.against_serial.estimate.low, 10 / 7.5 / 2, 1e-6);  // the drift is in both
  EXPECT_EQ(threads.against_serial.estimate.level, 0.96875);
  EXPECT_NEAR(threads.against_copies.estimate.value, 6 / 7.5, 1e-6);
  const CellSnapshot& serial = snapshot.groups[0].cells[0];
  EXPECT_EQ(serial.against_serial.why_not, "it is the base");
  EXPECT_EQ(serial.against_copies.why_not, "one rank");
  EXPECT_TRUE(snapshot.groups[0].cells[2].is_copies);
}

TEST(Snapshot, MissingBasesAreSaid) {
  Campaign c;
  fill(c);
  c.finished(kTorch, 1, 20);
  const CellSnapshot torch = c.snapshot().groups[0].cells[3];
  EXPECT_EQ(torch.against_serial.why_not, "no serial cell of pytorch");
  EXPECT_EQ(torch.against_copies.why_not, "not run");
  EXPECT_FALSE(torch.against_serial.estimate.ok());
  EXPECT_TRUE(torch.bytes_modelled);
  EXPECT_EQ(torch.throughput.level, 0);
  EXPECT_EQ(torch.throughput.n, 1);
}

TEST(Snapshot, ALostPartnerLeavesItsPair) {
  Campaign c;
  for (int64_t block = 1; block <= 6; ++block) {
    c.finished(kSerial, block, 10);
    if (block != 3) c.finished(kThreads, block, 8);
  }
  const Efficiency efficiency = c.snapshot().groups[0].cells[1].against_serial;
  EXPECT_TRUE(efficiency.paired);
  EXPECT_EQ(efficiency.estimate.n, 5);
  EXPECT_EQ(efficiency.estimate.level, 0.9375);
}

TEST(Snapshot, WithoutCommonBlocksUnpaired) {
  Campaign c;
  for (int64_t block = 1; block <= 4; ++block) {
    c.finished(kSerial, block, 10);
    c.finished(kThreads, block + 10, 8);
  }
  const Efficiency efficiency = c.snapshot().groups[0].cells[1].against_serial;
  EXPECT_FALSE(efficiency.paired);
  EXPECT_NEAR(efficiency.estimate.value, 0.625, 1e-9);
  EXPECT_NEAR(efficiency.estimate.level, 1 - 2.0 / 70, 1e-12);
}

TEST(Snapshot, LossesAndTheirSpread) {
  Campaign c;
  fill(c);
  const WorkloadGroup group = c.snapshot().groups[0];
  EXPECT_EQ(group.first_loss, 5.5);
  EXPECT_NEAR(group.largest_spread, 1e-3, 1e-12);  // serial and threads; null does not take part
  Campaign alone;
  alone.finished(kSerial, 1, 10);
  EXPECT_TRUE(std::isnan(alone.snapshot().groups[0].largest_spread));
}

TEST(Snapshot, OnlyFinishedTimeLaunchesEnterStatistics) {
  Campaign c;
  fill(c);
  store::LaunchRecord verify = c.record(kSerial, 1, 1000);
  verify.launch.mode = store::LaunchMode::verify;
  c.store.import_launch(verify);
  for (int i = 0; i < 3; ++i) {
    store::LaunchRecord failed = c.record(kSerial, 1, 1000);
    failed.launch.status = i < 2 ? store::LaunchStatus::failed : store::LaunchStatus::skipped;
    failed.launch.error_kind = i < 2 ? "out_of_memory" : "unsupported";
    failed.launch.error_message = "asked 3.1 GiB";
    failed.launch.marks = {"disturbed"};
    c.store.import_launch(failed);
  }
  const CampaignSnapshot snapshot = c.snapshot();
  const CellSnapshot& serial = snapshot.groups[0].cells[0];
  EXPECT_EQ(serial.throughput.n, 6);
  EXPECT_EQ(serial.counts.failed, 2);
  EXPECT_EQ(serial.counts.skipped, 1);
  EXPECT_EQ(serial.counts.total(), 9);
  EXPECT_EQ(snapshot.counts.total(), 22);
  ASSERT_EQ(serial.reasons.size(), 2u);
  EXPECT_EQ(serial.reasons[0].kind, "out_of_memory");
  EXPECT_EQ(serial.reasons[0].count, 2);
  EXPECT_EQ(serial.reasons[0].launch, 20);
  EXPECT_THAT(serial.marks, ElementsAre("disturbed"));
}

TEST(Snapshot, ALaunchWithoutMeasurementsIsNeverDropped) {
  Campaign c;
  fill(c);
  store::LaunchRecord empty = c.record(kSerial, 7, 10);
  empty.series.clear();
  c.store.import_launch(empty);
  const CellSnapshot serial = c.snapshot().groups[0].cells[0];
  EXPECT_EQ(serial.throughput.refusal, stats::Refusal::not_a_number);
  EXPECT_EQ(serial.launches.back().problem, "no series");
}

TEST(Snapshot, FilterKeepsTheBaseForEfficiencies) {
  Campaign c;
  fill(c);
  const CampaignSnapshot snapshot = c.snapshot("fabric:threads");
  ASSERT_EQ(snapshot.groups.size(), 1u);
  ASSERT_EQ(snapshot.groups[0].cells.size(), 1u);
  EXPECT_NEAR(snapshot.groups[0].cells[0].against_serial.estimate.value, 10 / 7.5 / 2, 1e-6);
  EXPECT_EQ(snapshot.counts.total(), 6);
  EXPECT_TRUE(c.snapshot("ranks:64").groups.empty());
}

store::ProofState proof_after(Campaign& c, store::ProofState state, const std::string& environment, int64_t at) {
  store::ProofRow proof;
  proof.cell = kThreads.text;
  proof.environment = environment;
  proof.state = state;
  proof.at_utc_ns = at;
  c.store.record_proof(proof);
  return c.snapshot().groups[0].cells[1].proof;
}

TEST(Snapshot, TheNewestProofOfTheEnvironmentCounts) {
  Campaign c;
  fill(c);
  EXPECT_EQ(c.snapshot().groups[0].cells[0].proof, store::ProofState::reference);
  EXPECT_EQ(c.snapshot().groups[0].cells[1].proof, store::ProofState::none);
  const std::string other = c.store.put_environment({"", R"({"cpu": "other"})"});
  const std::string ours = c.snapshot().environments.at(0);
  EXPECT_EQ(proof_after(c, store::ProofState::held, other, 1), store::ProofState::none);
  EXPECT_EQ(proof_after(c, store::ProofState::failed, ours, 2), store::ProofState::failed);
  EXPECT_EQ(proof_after(c, store::ProofState::held, ours, 3), store::ProofState::held);
}

}  // namespace
}  // namespace lockstep::snapshot
