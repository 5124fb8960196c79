#include "harness/collect/record_file.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "adapters/contract/failure.h"
#include "tests/harness/lab.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;

/// Everything that is hard to carry: non-finite numbers, numbers that need 17 digits, text of all kinds.
store::LaunchRecord hard() {
  store::LaunchRecord record;
  record.campaign.emplace();
  record.campaign->id = store::make_id(), record.campaign->number = 3, record.campaign->suite = "ü日本\"\n";
  record.cell.text = "w:tiny fake serial", record.cell.workload = "w:tiny", record.cell.system = "fake";
  record.cell.strategy = "serial";
  record.environment.json = R"({"machine":{"cpu":"X"},"probe":{"contract":1}})";
  record.system = store::SystemRow{"fake", "", "{\n}", R"({"contract":1})", R"([{"term":"serial"}])"};
  store::LaunchRow& launch = record.launch;
  launch.id = store::make_id(), launch.campaign = record.campaign->id, launch.number = 7;
  launch.cell = record.cell.text, launch.status = store::LaunchStatus::failed, launch.steps = 2;
  launch.environment = "some", launch.error_kind = "non_finite_loss", launch.error_message = "a\nb\"c\\";
  launch.load_before = std::nan(""), launch.marks = {"disturbed"};
  store::ProcessRow process;
  process.pid = 5, process.exit_code = 3, process.peak_pss_bytes = 1234567890123;
  record.processes = {process};
  record.series = {{0, "loss", "nat", std::vector<double>{0.1, std::nan(""), HUGE_VAL, -HUGE_VAL, 1.0 / 3}},
                   {1, "samples", "", std::vector<int64_t>{9007199254740993, -1}},
                   {1, "empty", "", std::vector<int64_t>{}}};
  record.fingerprints = {{0, "w", 2.5, std::nullopt}, {1, "w", 1e-300, 5e-324}};
  record.metrics = {{0, 0, "other_cpus", "CPU", 0.25}};
  return record;
}

TEST(RecordFile, GoesThroughAFileAndAStoreUnchanged) {
  const store::LaunchRecord record = hard();
  const std::string text = collect::record_text(record);
  const store::LaunchRecord back = collect::parse_record(text, "f");
  EXPECT_EQ(collect::record_text(back), text);
  const Lab lab;
  store::Store store = store::Store::open(lab.store_file.string(), store::OpenMode::create);
  EXPECT_TRUE(store.import_launch(back));
  EXPECT_FALSE(store.import_launch(back));
  const auto row = store.launch(record.launch.id);
  ASSERT_TRUE(row.has_value());
  const store::LaunchRecord stored = collect::read_record(store, *row);
  EXPECT_EQ(stored.launch.error_message, record.launch.error_message);
  ASSERT_TRUE(stored.system.has_value());
  EXPECT_EQ(stored.system->claims_json, record.system->claims_json);
  EXPECT_EQ(stored.fingerprints.at(1).gradient_norm, 5e-324);
  const auto& losses = std::get<std::vector<double>>(stored.series.at(0).name == "loss" ? stored.series[0].values
                                                                                        : stored.series[1].values);
  EXPECT_EQ(losses[4], 1.0 / 3);
  EXPECT_TRUE(std::isnan(losses[1]));
}

TEST(RecordFile, EveryChangedByteIsFound) {
  const std::string text = collect::record_text(hard());
  const auto refused = [](std::string changed) {
    try {
      collect::parse_record(changed, "f.jsonl");
    } catch (const Failure& failure) {
      return std::string(failure.what());
    }
    return std::string("accepted");
  };
  for (size_t at = text.find('\n') + 1; at < text.size(); at += 17) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_THAT(refused(changed), HasSubstr("changed, or cut short")) << at;
  }
  EXPECT_THAT(refused(text.substr(0, text.size() - 1)), HasSubstr("changed, or cut short"));
  EXPECT_THAT(refused("{}\n{}\n"), HasSubstr("no launch file"));
}

TEST(RecordFile, CarriesALaunchFromOneStoreToAnother) {
  const Lab one, two;
  ASSERT_EQ(one.lockstep({"run", "-w", kTinyWork, "-S", "fake", "-n", "1", "--no-verify"}).code, 0);
  const std::string file = (one.folder / "launch.jsonl").string();
  ASSERT_EQ(one.lockstep({"export", "@1.1", "--launch", "-o", file}).code, 0);
  EXPECT_THAT(two.lockstep({"import", file}).out, HasSubstr("1 launch imported"));
  EXPECT_THAT(two.lockstep({"import", file}).out, HasSubstr("1 there already"));
  store::Store a = one.store(), b = two.store();
  EXPECT_EQ(collect::record_text(collect::read_record(a, *a.launch(1, 1))),
            collect::record_text(collect::read_record(b, *b.launch(1, 1))));
}

}  // namespace
}  // namespace lockstep::testing
