#include "harness/verify/prove.h"

#include <gmock/gmock.h>

#include <fstream>

#include "adapters/contract/manifest.h"
#include "harness/launch/adapter.h"
#include "tests/harness/lab.h"

namespace lockstep::verify {
namespace {

using store::ProofState;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path kHome = LOCKSTEP_SOURCE_DIR;

/// A store with made-up verify launches of one workload.
class ProveTest : public ::testing::Test {
 protected:
  ProveTest()
      : catalogue_(kHome / "workloads", contract::read_manifests(kHome / "adapters")),
        store_(store::Store::open(lab_.store_file.string(), store::OpenMode::create)),
        campaign_(store_.begin_campaign({})),
        reference_(catalogue_.cell("mlp-fashion:micro", "reference", "serial", "")),
        candidate_(catalogue_.cell("mlp-fashion:micro", "pytorch", "serial", "")) {}

  // A launch whose gradient norms are `scale` times the right ones.
  store::LaunchRow add(const suite::PlannedCell& cell, double scale,
                       const std::string& environment = "{\"machine\":1}") {
    store::LaunchRecord record;
    record.launch.id = store::make_id(), record.launch.campaign = campaign_.id, record.launch.number = ++number_;
    record.launch.cell = cell.text, record.launch.mode = store::LaunchMode::verify;
    record.launch.status = store::LaunchStatus::finished;
    record.launch.started_utc_ns = record.launch.ended_utc_ns = number_;
    record.environment.json = environment;
    record.cell = {cell.text, cell.workload, cell.system, cell.strategy, cell.fabric, cell.ranks, "{}", "{}"};
    for (int64_t step = 0; step <= 2; ++step) {
      store::FingerprintRow row{step, "fc1.weight", 3.0, {}};
      if (step > 0) row.gradient_norm = 0.5 * scale;
      record.fingerprints.push_back(row);
    }
    record.series.push_back({0, "loss", "nat", std::vector<double>(100, 1.5)});
    record.series.push_back({0, "loss_weight", "positions", std::vector<double>(100, 12)});
    EXPECT_TRUE(store_.import_launch(record));
    return *store_.launch(record.launch.id);
  }

  testing::Lab lab_;
  suite::Catalogue catalogue_;
  store::Store store_;
  store::CampaignRow campaign_;
  suite::PlannedCell reference_, candidate_;
  int64_t number_ = 0;
};

TEST_F(ProveTest, EqualWorkHolds) {
  EXPECT_EQ(prove(store_, reference_, add(reference_, 1)).state, ProofState::reference);
  const store::ProofRow proof = prove(store_, candidate_, add(candidate_, 1 + 1e-6));
  EXPECT_EQ(proof.state, ProofState::held) << proof.reason;
  EXPECT_GT(proof.worst, 0);
  EXPECT_LT(proof.worst, 1);
}

TEST_F(ProveTest, GradientsWrongByOnePercentFail) {
  prove(store_, reference_, add(reference_, 1));
  const store::ProofRow proof = prove(store_, candidate_, add(candidate_, 1.01));
  EXPECT_EQ(proof.state, ProofState::failed);
  EXPECT_GT(proof.worst, 1);
  EXPECT_THAT(proof.reason, HasSubstr("fc1.weight"));
}

TEST_F(ProveTest, WithoutAReferenceThereIsNoProof) {
  const store::ProofRow proof = prove(store_, candidate_, add(candidate_, 1));
  EXPECT_EQ(proof.state, ProofState::none);
  EXPECT_THAT(proof.reason, HasSubstr("reference"));
}

TEST_F(ProveTest, WhatWasImportedIsJudgedOnceAndAgainWhenItsReferenceComes) {
  // As a run folder has it: with the workload.
  const auto imported = [&](const suite::PlannedCell& cell, double scale) {
    store::CellRow row = suite::row_of(cell);
    row.workload_json = cell.resolved->json();
    store_.put_cell(row);
    return add(cell, scale);
  };
  const store::LaunchRow launch = imported(candidate_, 1.01);
  EXPECT_EQ(prove_imported(store_), 1);
  EXPECT_EQ(store_.proofs(candidate_.text, "").at(0).state, ProofState::none);
  EXPECT_EQ(prove_imported(store_), 0);
  imported(reference_, 1);
  EXPECT_EQ(prove_imported(store_), 2);
  const store::ProofRow proof = store_.proofs(candidate_.text, "").at(0);
  EXPECT_EQ(proof.state, ProofState::failed);
  EXPECT_EQ(proof.launch, launch.id);
  EXPECT_EQ(proof.at_utc_ns, launch.ended_utc_ns);
  EXPECT_EQ(store_.proofs(reference_.text, "").at(0).state, ProofState::reference);
  EXPECT_EQ(prove_imported(store_), 0);
}

TEST_F(ProveTest, WhatAnotherVersionWroteIsSaidToBeUnreadable) {
  add(candidate_, 1);
  EXPECT_EQ(prove_imported(store_), 1);
  EXPECT_THAT(store_.proofs(candidate_.text, "").at(0).reason, HasSubstr("cannot be read"));
  EXPECT_EQ(prove_imported(store_), 0);
}

TEST_F(ProveTest, OnlyWhatThisEnvironmentLacksIsMadeAndTheReferenceGoesFirst) {
  const std::map<std::string, std::string> here{{"pytorch", "{\"machine\":1}"}, {"reference", "{\"machine\":1}"}};
  const std::vector<suite::PlannedCell> cells{candidate_};
  EXPECT_THAT(missing_proofs(store_, cells, here, false), ElementsAre(reference_.text, candidate_.text));
  prove(store_, reference_, add(reference_, 1, "{\"machine\":1,\"versions\":{\"git\":\"a\"}}"));
  EXPECT_THAT(missing_proofs(store_, cells, here, false), ElementsAre(candidate_.text));
  prove(store_, candidate_, add(candidate_, 1, "{\"machine\":1,\"versions\":{\"torch\":\"2\"},\"worker\":\"w\"}"));
  EXPECT_THAT(missing_proofs(store_, cells, here, false), ElementsAre());
  EXPECT_THAT(missing_proofs(store_, cells, here, true), ElementsAre(reference_.text, candidate_.text));
  EXPECT_THAT(missing_proofs(store_, cells, {{"pytorch", "{\"machine\":2}"}, {"reference", "{\"machine\":1}"}}, false),
              ElementsAre(candidate_.text));
}

TEST_F(ProveTest, ChangedFilesOfARevisionAreToldApartByTheWorkersContent) {
  launch::Adapter adapter;
  adapter.manifest.worker = "bin:worker", adapter.worker = lab_.folder / "worker";
  adapter.probe_json = R"({"versions":{"git":"1a2b3c4d5e6f+"}})";
  std::ofstream(adapter.worker) << "one";
  const std::string before = launch::code_of(adapter);
  EXPECT_THAT(before, ::testing::MatchesRegex("[0-9a-f]{12}"));
  std::ofstream(adapter.worker) << "two";
  EXPECT_NE(launch::code_of(adapter), before);
  adapter.probe_json = R"({"versions":{"git":"1a2b3c4d5e6f"}})";
  EXPECT_EQ(launch::code_of(adapter), "");  // the revision says it all
}

TEST_F(ProveTest, CopiesAndRefusedCellsHaveNoProof) {
  suite::PlannedCell copies = catalogue_.cell("mlp-fashion:micro", "reference", "dp2", "null");
  EXPECT_FALSE(has_proof(copies));
  EXPECT_FALSE(has_proof(catalogue_.cell("mlp-fashion:micro", "pytorch", "tp2", "gloo")));
  EXPECT_TRUE(has_proof(candidate_));
}

}  // namespace
}  // namespace lockstep::verify
