#include "results/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/results/store_records.h"

namespace lockstep::store {
namespace {

using testing::cell;
using ::testing::ElementsAre;
using testing::failure_of;
using testing::Folder;
using ::testing::HasSubstr;
using testing::record;

const char* const kWild = "Größe 測定 'a' \"b\"\n; DROP TABLE launch; --";

struct Opened {
  Folder folder;
  Store store = Store::open(folder.file(), OpenMode::create);
};

CampaignRow named(const std::string& suite) {
  CampaignRow row;
  row.suite = suite;
  return row;
}

TEST(Store, CampaignsAreNumberedAndCarryEverything) {
  Opened o;
  CampaignRow first = named(kWild);
  first.command_line = "lockstep run 'x y'";
  first.planned_json = R"([{"cell": "a"}])";
  first.planned_launches = 7;
  first.host = "desk-3";
  first.user = kWild;
  first.version = "0.1.0";
  first = o.store.begin_campaign(first);
  EXPECT_EQ(first.number, 1);
  EXPECT_TRUE(is_id(first.id));
  EXPECT_GT(first.started_utc_ns, 0);
  EXPECT_EQ(o.store.begin_campaign(named("second")).number, 2);

  const auto back = o.store.campaign(1);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->suite, kWild);
  EXPECT_EQ(back->user, kWild);
  EXPECT_EQ(back->planned_json, first.planned_json);
  EXPECT_EQ(back->planned_launches, 7);
  EXPECT_EQ(back->status, CampaignStatus::running);
  EXPECT_FALSE(o.store.campaign(3));

  o.store.end_campaign(first.id, CampaignStatus::interrupted, 99);
  EXPECT_EQ(o.store.campaign(1)->status, CampaignStatus::interrupted);
  EXPECT_EQ(o.store.campaign(1)->ended_utc_ns, 99);
  o.store.resume_campaign(first.id);
  EXPECT_EQ(o.store.campaign(1)->status, CampaignStatus::running);
  EXPECT_THAT(failure_of([&] { o.store.end_campaign("nobody", CampaignStatus::finished, 1); }),
              HasSubstr("no such campaign"));
}

TEST(Store, LaunchComesBackWhole) {
  Opened o;
  const CampaignRow campaign = o.store.begin_campaign(named("s"));
  LaunchRecord in = record(campaign, 7, cell("mlp:tiny", "reference", "dp2", "threads", 2));
  in.launch.error_message = kWild;
  in.launch.load_after = std::nan("");
  in.fingerprints[0].tensor = kWild;
  EXPECT_TRUE(o.store.import_launch(in));

  const auto launch = o.store.launch(1, 7);
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->id, in.launch.id);
  EXPECT_EQ(launch->cell, "mlp:tiny reference dp2 on threads");
  EXPECT_EQ(launch->environment, in.launch.environment);
  EXPECT_EQ(launch->error_message, kWild);
  EXPECT_EQ(launch->started_utc_ns, in.launch.started_utc_ns);
  EXPECT_EQ(launch->load_before, 0.25);
  EXPECT_TRUE(std::isnan(launch->load_after));
  EXPECT_EQ(launch->warmup, 1);
  EXPECT_THAT(launch->marks, ElementsAre("disturbed", "short region"));
  EXPECT_EQ(o.store.environment(launch->environment)->json, in.environment.json);
  EXPECT_EQ(o.store.cell(launch->cell)->ranks, 2);
  EXPECT_EQ(o.store.launch(in.launch.id)->number, 7);
  EXPECT_FALSE(o.store.launch(1, 8));
}

TEST(Store, SamplesComeBackWithTheirNaNs) {
  Opened o;
  const CampaignRow campaign = o.store.begin_campaign(named("s"));
  const LaunchRecord in = record(campaign, 1, cell("mlp:tiny", "reference", "serial"));
  o.store.import_launch(in);
  const std::string& id = in.launch.id;

  ASSERT_EQ(o.store.series(id).size(), 2u);
  const auto loss = std::get<std::vector<double>>(o.store.series(id, 0, "loss")->values);
  EXPECT_EQ(loss[0], 2.5);
  EXPECT_TRUE(std::isnan(loss[1]));
  EXPECT_FALSE(o.store.series(id, 1, "loss"));
  const auto process = o.store.processes(id).at(0);
  EXPECT_EQ(process.peak_pss_bytes, 50 << 20);
  EXPECT_EQ(process.signal, std::nullopt);
  EXPECT_EQ(process.exit_code, 0);
  EXPECT_EQ(o.store.evaluations(id).at(0).value, 0.5);
  EXPECT_EQ(o.store.memory(id).at(0).peak_bytes, 2000);
  EXPECT_EQ(o.store.metrics(id).at(0).value, std::numeric_limits<double>::infinity());
  const auto fingerprints = o.store.fingerprints(id);
  EXPECT_EQ(fingerprints.at(0).gradient_norm, 0.25);
  EXPECT_EQ(fingerprints.at(1).gradient_norm, std::nullopt);
  ASSERT_TRUE(fingerprints.at(2).gradient_norm.has_value());
  EXPECT_TRUE(std::isnan(*fingerprints.at(2).gradient_norm));
  EXPECT_EQ(o.store.artifacts(id).at(0).path, "trace.json");
}

TEST(Store, ImportingTwiceChangesNothing) {
  Opened o;
  const CampaignRow campaign = o.store.begin_campaign(named("s"));
  LaunchRecord in = record(campaign, 1, cell("mlp:tiny", "reference", "serial"));
  EXPECT_TRUE(o.store.import_launch(in));
  in.launch.error_message = "another one";
  in.metrics.push_back(in.metrics[0]);
  EXPECT_FALSE(o.store.import_launch(in));
  EXPECT_EQ(o.store.launches({}).size(), 1u);
  EXPECT_EQ(o.store.launch(1, 1)->error_message, "");
  EXPECT_EQ(o.store.metrics(in.launch.id).size(), 1u);
  EXPECT_EQ(o.store.series(in.launch.id).size(), 2u);
}

TEST(Store, ARunningLaunchIsReplacedByItsEnd) {
  Opened o;
  const CampaignRow campaign = o.store.begin_campaign(named("s"));
  LaunchRecord in = record(campaign, 1, cell("mlp:tiny", "reference", "serial"));
  in.launch.status = LaunchStatus::running;
  EXPECT_TRUE(o.store.import_launch(in));
  in.launch.status = LaunchStatus::finished;
  EXPECT_TRUE(o.store.import_launch(in));
  EXPECT_EQ(o.store.launch(1, 1)->status, LaunchStatus::finished);
  EXPECT_EQ(o.store.metrics(in.launch.id).size(), 1u);
  EXPECT_EQ(o.store.launch(1, 1)->marks.size(), 2u);
}

TEST(Store, AFailedImportLeavesNothing) {
  Opened o;
  const CampaignRow campaign = o.store.begin_campaign(named("s"));
  LaunchRecord in = record(campaign, 1, cell("mlp:tiny", "reference", "serial"));
  in.series.push_back(in.series[0]);  // the same rank and name twice
  EXPECT_THAT(failure_of([&] { o.store.import_launch(in); }), HasSubstr("UNIQUE"));
  EXPECT_TRUE(o.store.launches({}).empty());
  EXPECT_FALSE(o.store.cell(in.cell.text));
  in.series.pop_back();
  EXPECT_TRUE(o.store.import_launch(in));
}

TEST(Store, AFolderFromElsewhereBringsItsCampaign) {
  Opened here, there;
  const CampaignRow campaign = there.store.begin_campaign(named("far away"));
  here.store.begin_campaign(named("ours"));
  LaunchRecord in = record(campaign, 1, cell("mlp:tiny", "reference", "serial"));
  EXPECT_THAT(failure_of([&] { here.store.import_launch(in); }), HasSubstr("does not bring it along"));
  in.campaign = campaign;
  EXPECT_TRUE(here.store.import_launch(in));
  EXPECT_EQ(here.store.campaign(2)->suite, "far away");
  EXPECT_EQ(here.store.campaign(2)->id, campaign.id);
  EXPECT_FALSE(here.store.import_launch(in));
  EXPECT_EQ(here.store.campaigns().size(), 2u);
}

TEST(Store, ALaunchThatContradictsItselfIsRefused) {
  Opened o;
  const CampaignRow campaign = o.store.begin_campaign(named("s"));
  LaunchRecord in = record(campaign, 1, cell("mlp:tiny", "reference", "serial"));
  in.launch.cell = "something else";
  EXPECT_THAT(failure_of([&] { o.store.import_launch(in); }), HasSubstr("is not the cell that it brings along"));
  in = record(campaign, 1, in.cell);
  in.launch.id = "7";
  EXPECT_THAT(failure_of([&] { o.store.import_launch(in); }), HasSubstr("32 lower-case hex digits"));
}

TEST(Store, AnEnvironmentMayBeBroughtOrNamed) {
  Opened o;
  const CampaignRow campaign = o.store.begin_campaign(named("s"));
  LaunchRecord in = record(campaign, 1, cell("mlp:tiny", "reference", "serial"));
  in.launch.environment = "";
  o.store.import_launch(in);
  const std::string hash = o.store.launch(1, 1)->environment;
  EXPECT_EQ(hash, content_hash(in.environment.json));
  in = record(campaign, 2, in.cell);
  in.launch.environment = hash;
  in.environment = {};
  o.store.import_launch(in);
  EXPECT_EQ(o.store.launch(1, 2)->environment, hash);
  in = record(campaign, 3, in.cell);
  in.launch.environment = "unknown";
  in.environment = {};
  EXPECT_THAT(failure_of([&] { o.store.import_launch(in); }), HasSubstr("FOREIGN KEY"));
}

TEST(Store, FiltersAndOrder) {
  Opened o;
  const CellRow serial = cell("mlp:tiny", "reference", "serial"), dp2 = cell("mlp:tiny", "reference", "dp2", "mpi", 2);
  const CampaignRow a = o.store.begin_campaign(named("a")), b = o.store.begin_campaign(named("b"));
  o.store.import_launch(record(b, 1, serial));
  o.store.import_launch(record(a, 2, serial));
  o.store.import_launch(record(a, 1, dp2));
  LaunchRecord skipped = record(a, 3, serial);
  skipped.launch.status = LaunchStatus::skipped;
  skipped.launch.mode = LaunchMode::verify;
  skipped.launch.environment = "";
  skipped.environment = {};
  o.store.import_launch(skipped);

  LaunchFilter filter;
  EXPECT_EQ(o.store.launches(filter).size(), 4u);
  EXPECT_EQ(o.store.launches(filter).front().cell, dp2.text);
  filter.campaign = a.id;
  EXPECT_EQ(o.store.launches(filter).size(), 3u);
  filter.mode = LaunchMode::time;
  EXPECT_EQ(o.store.launches(filter).size(), 2u);
  filter.cell = serial.text;
  EXPECT_EQ(o.store.launches(filter).size(), 1u);
  filter.status = LaunchStatus::failed;
  EXPECT_TRUE(o.store.launches(filter).empty());
  EXPECT_EQ(o.store.launch(1, 3)->environment, "");
  const std::vector<CellRow> cells = o.store.cells(a.id);
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[0].text, dp2.text);
}

TEST(Store, ProofsTagsNotesSystems) {
  Opened o;
  const CampaignRow a = o.store.begin_campaign(named("a")), b = o.store.begin_campaign(named("b"));
  const CellRow serial = cell("mlp:tiny", "pytorch", "serial");
  o.store.put_cell(serial);
  const std::string environment = o.store.put_environment({"", R"({"torch": "1.13"})"});
  ProofRow proof;
  proof.cell = serial.text;
  proof.environment = environment;
  proof.state = ProofState::failed;
  proof.at_utc_ns = 1;
  proof.reason = kWild;
  o.store.record_proof(proof);
  proof.state = ProofState::held;
  proof.at_utc_ns = 2;
  o.store.record_proof(proof);
  ASSERT_EQ(o.store.proofs(serial.text, "").size(), 2u);
  EXPECT_EQ(o.store.proofs(serial.text, environment).front().state, ProofState::held);
  EXPECT_TRUE(o.store.proofs(serial.text, "other").empty());

  o.store.tag(a.id, "release", "ann");
  o.store.tag(b.id, "release", "ann");
  o.store.tag(b.id, "nightly", "ann");
  EXPECT_EQ(o.store.campaign_tagged("release")->number, 2);
  EXPECT_THAT(o.store.campaign(2)->tags, ElementsAre("nightly", "release"));
  o.store.untag("release");
  EXPECT_FALSE(o.store.campaign_tagged("release"));

  NoteRow note;
  note.campaign = a.id;
  note.text = kWild;
  note.who = "ann";
  o.store.note(note);
  EXPECT_EQ(o.store.notes(a.id).at(0).text, kWild);
  note.launch = "also";
  EXPECT_THAT(failure_of([&] { o.store.note(note); }), HasSubstr("one campaign or one launch"));

  SystemRow system;
  system.name = "pytorch";
  o.store.record_system(system);
  o.store.record_system(system);
  system.probe_json = R"({"torch": "2"})";
  o.store.record_system(system);
  EXPECT_EQ(o.store.systems().size(), 2u);
}

TEST(Interrupt, LastsUntilTheStoreMayAnswerAgain) {
  Opened o;
  o.store.interrupt();
  for (int i = 0; i < 2; ++i) EXPECT_THROW(o.store.campaigns(), Failure);
  o.store.answer_again();
  EXPECT_TRUE(o.store.campaigns().empty());
}

}  // namespace
}  // namespace lockstep::store
