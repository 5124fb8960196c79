#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <thread>

#include "harness/collect/collect.h"
#include "harness/supervisor/process_tree.h"
#include "tests/harness/lab.h"

/// The built `lockstep` from outside, on the fake adapter.
namespace lockstep {
namespace {

using nlohmann::json;
using store::LaunchStatus;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kTinyWork;
using testing::Lab;

std::vector<std::string> fake(const std::string& options, std::vector<std::string> more = {}) {
  std::vector<std::string> all{"run", "-w", kTinyWork, "-S", "fake:" + options, "--no-verify"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<store::LaunchRow> launches(const Lab& lab) { return lab.store().launches({}); }

void sleep_ms(int64_t milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

TEST(Run, ASuiteEndsInATableAndEverySampleIsKept) {
  const Lab lab;
  const auto result = lab.lockstep(fake("step_us=500", {"-s", "serial", "-s", "dp2", "-f", "threads", "-n", "2"}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("cells: campaign @1, 4 launches"), HasSubstr("dp2 on threads")));
  EXPECT_THAT(result.err, HasSubstr("[4/4] ok"));
  store::Store store = lab.store();
  for (const store::LaunchRow& launch : store.launches({})) {
    EXPECT_EQ(launch.status, LaunchStatus::finished) << launch.error_message;
    const auto losses = store.series(launch.id, 0, "loss");
    ASSERT_TRUE(losses.has_value());
    EXPECT_EQ(std::get<std::vector<double>>(losses->values).size(), 20U);
    EXPECT_FALSE(std::filesystem::path(launch.run_folder).is_absolute());
  }
  EXPECT_THAT(lab.processes(), IsEmpty());
}

TEST(Run, TheStoreKeepsWhatASystemClaims) {
  const Lab lab;
  for (int i = 0; i < 2; ++i) lab.lockstep(fake("step_us=10", {"-n", "1"}));
  const std::vector<store::SystemRow> systems = lab.store().systems();
  ASSERT_EQ(systems.size(), 1U) << "an adapter that is the same is one row";
  EXPECT_EQ(systems[0].name, "fake");
  EXPECT_THAT(systems[0].claims_json, HasSubstr(R"({"origin":"native","own_name":"pretended","term":"dp{n}"})"));
  EXPECT_EQ(json::parse(systems[0].manifest_json)["name"], "fake");
}

TEST(Run, LinesOfATableFitIn100Columns) {
  const Lab lab;
  lab.lockstep(fake("misbehave=crash", {"-n", "1"}));
  std::istringstream table(lab.lockstep({"report"}).out);
  for (std::string line; std::getline(table, line);) EXPECT_LE(line.size(), 100U) << line;
}

struct Misbehaviour {
  const char* options;
  LaunchStatus status;
  const char* kind;
  int code;
};

class FailureModes : public ::testing::TestWithParam<Misbehaviour> {};

TEST_P(FailureModes, AreTypedRowsAndLeaveNoProcess) {
  const Lab lab;
  const auto result =
      lab.lockstep(fake(GetParam().options, {"-s", "dp2", "-f", "gloo", "-n", "1", "--patience", "0.2"}));
  EXPECT_EQ(result.code, GetParam().code) << result.err;
  const auto rows = launches(lab);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].status, GetParam().status) << rows[0].error_message;
  EXPECT_EQ(rows[0].error_kind, GetParam().kind) << rows[0].error_message;
  EXPECT_THAT(lab.processes(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Fake, FailureModes,
                         ::testing::Values(Misbehaviour{"misbehave=crash", LaunchStatus::failed, "killed", 3},
                                           Misbehaviour{"misbehave=hang", LaunchStatus::failed, "deadline", 3},
                                           Misbehaviour{"misbehave=stubborn", LaunchStatus::failed, "deadline", 3},
                                           Misbehaviour{"misbehave=rubbish", LaunchStatus::failed, "bad_events", 3},
                                           Misbehaviour{"misbehave=silent", LaunchStatus::failed, "bad_events", 3},
                                           Misbehaviour{"misbehave=die", LaunchStatus::failed, "bad_events", 3},
                                           Misbehaviour{"misbehave=half_line", LaunchStatus::failed, "killed", 3},
                                           Misbehaviour{"misbehave=nan", LaunchStatus::failed, "non_finite_loss", 3},
                                           Misbehaviour{"misbehave=claim", LaunchStatus::skipped, "unsupported", 0},
                                           Misbehaviour{"misbehave=leak", LaunchStatus::finished, "", 0},
                                           Misbehaviour{"misbehave=none", LaunchStatus::finished, "", 0}),
                         [](const auto& instance) { return std::string(instance.param.options).substr(10); });

TEST(Run, LeakedChildrenAndImpossibleRatesAreMarked) {
  const Lab lab;
  lab.lockstep(fake("misbehave=leak", {"-n", "1"}));
  lab.lockstep(fake("misbehave=lie,step_us=3000", {"-n", "1"}));
  const auto rows = launches(lab);
  EXPECT_THAT(rows.at(0).marks, ::testing::Contains("left processes behind"));
  EXPECT_THAT(rows.at(1).marks, ::testing::Contains("impossible rate"));
}

TEST(Run, ImpossibleCellsAreRowsWithAReason) {
  const Lab lab;
  const auto result = lab.lockstep(fake("seed=0", {"-s", "serial", "-s", "tp2", "-n", "1"}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("1 of 2 cells skipped"), HasSubstr("skipped: unsupported")));
  EXPECT_EQ(launches(lab).size(), 2U);
}

TEST(Run, UsageErrorsAreTwo) {
  const Lab lab;
  EXPECT_EQ(lab.lockstep({"run", "no-such-suite"}).code, 2);
  EXPECT_EQ(lab.lockstep({"run", "-w", "nothing:tiny", "-S", "fake"}).code, 2);
  EXPECT_EQ(lab.lockstep({"run", "--nonsense"}).code, 2);
  EXPECT_EQ(lab.lockstep({"list"}).code, 2);  // there is no store
  EXPECT_EQ(lab.lockstep({"run", "-w", kTinyWork, "-S", "fake", "-n", "x"}).code, 2);
  EXPECT_THAT(lab.lockstep({"run", "quickstrt"}).err, HasSubstr("quickstart"));
  std::filesystem::create_directories(lab.folder / "quickstart");  // no reason not to find the suite of that name
  EXPECT_EQ(lab.lockstep({"run", "quickstart", "--dry-run"}).code, 0);
  EXPECT_THAT(lab.lockstep({"run", lab.folder.string()}).err, HasSubstr("is a folder"));
}

TEST(Run, NegativeNumbersAreValuesOfTheirOptions) {
  const Lab lab;
  EXPECT_THAT(lab.lockstep(fake("seed=0", {"-n", "-3"})).err, HasSubstr("--launches: -3: expected a number"));
  EXPECT_THAT(lab.lockstep(fake("seed=0", {"--patience", "-1"})).err, HasSubstr("--patience: -1: expected a number"));
}

TEST(Run, NoCampaignBeginsWhereItsRunFoldersCannotBe) {
  const Lab lab;
  std::ofstream(lab.runs) << "not a folder";
  const auto result = lab.lockstep(fake("seed=0", {"-n", "1"}));
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, AllOf(HasSubstr("--runs: "), HasSubstr(lab.runs.string()), HasSubstr("LOCKSTEP_RUNS")));
  EXPECT_EQ(lab.lockstep({"list"}).code, 2) << "there is no store yet";
}

TEST(Run, CellsWhoseProofFailedAreInNoVerdict) {
  const Lab lab;
  const auto result = lab.lockstep({"run", "-w", "mlp-digits:micro", "-S", "reference", "-S", "constant", "-s",
                                    "serial", "-n", "6", "--no-profile"});
  EXPECT_THAT(result.out, AllOf(HasSubstr("not compared, as equal work FAILED: mlp-digits:micro constant serial"),
                                ::testing::Not(HasSubstr("reference against constant"))));
  EXPECT_THAT(result.err, ::testing::ContainsRegex("constant serial  block 6  [^\n]*samples/s[^\n]*equal work FAILED"));
  EXPECT_THAT(result.err, ::testing::Not(::testing::ContainsRegex("reference serial  block[^\n]*FAILED")));
  const json document = json::parse(lab.lockstep({"report", "--json"}).out);
  EXPECT_TRUE(document["comparisons"].empty()) << document["comparisons"];
  EXPECT_THAT(lab.lockstep({"list", "@1"}).out,
              ::testing::ContainsRegex("constant serial +[0-9.]+ ksamples/s +FAILED"));
  int64_t number = 0;
  for (const store::LaunchRow& launch : launches(lab)) {
    if (launch.cell.ends_with(" constant serial")) number = launch.number;
  }
  EXPECT_THAT(lab.lockstep({"show", "@1." + std::to_string(number)}).out, HasSubstr("equal work FAILED: gradients"));
}

TEST(Run, DryRunOf10000CellsStartsNothing) {
  const Lab lab;
  const std::string file = (lab.folder / "big.json").string();
  {
    std::ofstream suite(file);
    suite << R"({"suite":"big","workloads":[")" << kTinyWork << R"("],"launches":6,"cells":[{"systems":["fake")";
    for (int us = 1; us < 100; ++us) suite << ",\"fake:step_us=" << us << "\"";
    suite << R"(],"strategies":["dp{n}"],"fabrics":["threads"],"n":[2)";
    for (int n = 3; n < 102; ++n) suite << "," << n;
    suite << "]}]}";
  }
  const auto result = lab.lockstep({"run", file, "--dry-run", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json document = json::parse(result.out);
  EXPECT_EQ(document["cells"].size(), 10'000U);
  EXPECT_EQ(document["launches"], 60'000);
  EXPECT_GE(document["carry"]["level"], 0.95);
  EXPECT_FALSE(std::filesystem::exists(lab.runs));
}

TEST(Run, EveryJsonDocumentIsStrictAndVersioned) {
  const Lab lab;
  lab.lockstep(fake("seed=0", {"-n", "1"}));
  const std::vector<std::vector<std::string>> commands{{"run"},
                                                       {"list"},
                                                       {"list", "@last"},
                                                       {"show", "@1.1"},
                                                       {"report"},
                                                       {"strategies"},
                                                       {"systems"},
                                                       {"import", (lab.runs / "1").string()},
                                                       {"run", "-w", kTinyWork, "-S", "fake", "--dry-run"}};
  for (std::vector<std::string> command : commands) {
    command.emplace_back("--json");
    const auto result = lab.lockstep(command);
    EXPECT_EQ(result.code, 0) << command[0] << result.err;
    const json document = json::parse(result.out, nullptr, false);
    ASSERT_TRUE(document.is_object()) << command[0];
    EXPECT_THAT(document.value("format", ""), HasSubstr("lockstep.")) << command[0];
    EXPECT_EQ(document.value("version", 0), 1) << command[0];
  }
}

TEST(Run, LogsOfARank) {
  const Lab lab;
  lab.lockstep(fake("misbehave=rubbish", {"-n", "1"}));
  std::ofstream(lab.runs / "1" / "001" / "stdout.rank0.log", std::ios::app) << "one more line\n";
  const auto all = lab.lockstep({"show", "@1.1", "--log", "rank0"});
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("== stdout.rank0.log"));
  EXPECT_LT(lab.lockstep({"show", "@1.1", "--log", "rank0", "-1"}).out.size(), all.out.size());
  EXPECT_EQ(lab.lockstep({"show", "@1.1", "--log", "rank7"}).code, 2);
}

TEST(Import, TwiceChangesNothingAndAnotherStoreGetsTheSame) {
  const Lab lab;
  lab.lockstep(fake("seed=0", {"-n", "2"}));
  EXPECT_THAT(lab.lockstep({"import", lab.runs.string()}).out, HasSubstr("0 launches imported, 2 there already"));
  EXPECT_EQ(launches(lab).size(), 2U);
  const Lab other;
  EXPECT_THAT(other.lockstep({"import", lab.runs.string()}).out, HasSubstr("2 launches imported, 0 there already"));
  EXPECT_THAT(other.lockstep({"import", (lab.runs / "1" / "001").string()}).out, HasSubstr("0 launches imported, 1"));
  EXPECT_EQ(launches(other).at(0).id, launches(lab).at(0).id);
  ASSERT_EQ(other.store().systems().size(), 1U) << "a run folder has what its system claims";
  EXPECT_EQ(other.store().systems()[0].hash, lab.store().systems()[0].hash);
  EXPECT_EQ(other.lockstep({"import", (lab.runs / "shared").string()}).code, 2);
}

TEST(Import, SkippedCellsAndDisturbedLaunchesArriveToo) {
  const Lab lab;
  lab.lockstep(fake("seed=0", {"-s", "serial", "-s", "tp2", "-n", "1"}));
  const std::vector<store::LaunchRow> here = launches(lab);
  ASSERT_EQ(here.size(), 2U);
  const auto finished =
      std::find_if(here.begin(), here.end(), [](const auto& l) { return l.status == LaunchStatus::finished; });
  ASSERT_NE(finished, here.end());
  // As on a busy machine.
  const std::filesystem::path seen = lab.runs.parent_path() / finished->run_folder / "surroundings.json";
  ASSERT_TRUE(std::filesystem::exists(seen));
  std::ofstream(seen) << R"({"load_after": 7, "other_cpus": 1.5, "steal_share": 0.25, "disturbs": true})";
  const Lab other;
  EXPECT_THAT(other.lockstep({"import", lab.runs.string()}).out, HasSubstr("2 launches imported, 0 there already"));
  const std::vector<store::LaunchRow> there = launches(other);
  ASSERT_EQ(there.size(), 2U);
  for (size_t i = 0; i < there.size(); ++i) {
    EXPECT_EQ(there[i].id, here[i].id);
    EXPECT_EQ(there[i].status, here[i].status);
    EXPECT_EQ(there[i].error_kind, here[i].error_kind);
    EXPECT_EQ(there[i].error_message, here[i].error_message);
    if (there[i].status != LaunchStatus::finished) continue;
    EXPECT_THAT(there[i].marks, ::testing::Contains("disturbed"));
    EXPECT_EQ(there[i].load_after, 7);
  }
  EXPECT_EQ(other.store().campaigns().at(0).status, store::CampaignStatus::finished);
}

TEST(Interrupt, EndsTheLaunchKeepsTheRestAndSaysHowToGoOn) {
  const Lab lab;
  const pid_t pid = lab.begin(fake("step_us=20000", {"-n", "3"}));
  while (lab.processes().empty()) sleep_ms(5);
  sleep_ms(100);
  kill(pid, SIGINT);
  EXPECT_EQ(testing::wait_for(pid), 130);
  EXPECT_THAT(lab.processes(), IsEmpty());
  std::ostringstream log;
  log << std::ifstream(lab.folder / "begin.log").rdbuf();
  EXPECT_THAT(log.str(), HasSubstr("lockstep run --resume @1"));
  EXPECT_EQ(lab.lockstep({"run", "--resume", "@1"}).code, 0);
  int finished = 0, interrupted = 0;
  for (const auto& row : launches(lab)) {
    finished += row.status == LaunchStatus::finished;
    interrupted += row.status == LaunchStatus::interrupted;
  }
  EXPECT_EQ(finished, 3);
  EXPECT_EQ(interrupted, 1);
}

// The processes of a lab that run the fake worker, or are its launchers or supervisors.
std::vector<pid_t> named(const Lab& lab, const std::string& name) {
  std::vector<pid_t> found;
  for (pid_t pid : lab.processes()) {
    std::string comm;
    std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/comm") >> std::ws, comm);
    if (comm.starts_with(name)) found.push_back(pid);
  }
  return found;
}

class KilledProcess : public ::testing::TestWithParam<const char*> {};

TEST_P(KilledProcess, FailsItsLaunchAndTheNextOneRuns) {
  const Lab lab;
  const std::string victim = GetParam();
  const bool mpi = victim == "mpirun";
  if (mpi && launch::find_executable("mpirun").empty()) GTEST_SKIP() << "mpirun is not installed";
  const pid_t pid = lab.begin(fake("step_us=30000", {"-s", "dp2", "-f", mpi ? "mpi" : "gloo", "-n", "2"}));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (named(lab, "lockstep-fake").size() < 2) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << testing::text_of(lab.folder / "begin.log");
    sleep_ms(5);
  }
  sleep_ms(150);
  if (victim == "supervisor") {
    const pid_t worker = named(lab, "lockstep-fake").at(0);
    kill(supervisor::parse_process_id(supervisor::environment_of(worker, "LOCKSTEP_SUPERVISOR")).pid, SIGKILL);
  } else {
    const auto pids = named(lab, mpi ? "mpirun" : "lockstep-fake");
    ASSERT_FALSE(pids.empty());
    kill(pids[0], SIGKILL);
  }
  EXPECT_EQ(testing::wait_for(pid), 3);
  EXPECT_THAT(lab.processes(), IsEmpty());
  const auto rows = launches(lab);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].status, LaunchStatus::failed);
  EXPECT_EQ(rows[0].error_kind, "killed") << rows[0].error_message;
  EXPECT_EQ(rows[1].status, LaunchStatus::finished) << rows[1].error_message;
}

INSTANTIATE_TEST_SUITE_P(Victims, KilledProcess, ::testing::Values("worker", "mpirun", "supervisor"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(Kill, TheHarnessAt30RandomMomentsLosesNothingAndLeavesNothing) {
  const Lab lab;
  std::mt19937 random(7);
  std::set<std::string> finished;
  const auto check = [&] {
    if (!std::filesystem::exists(lab.store_file)) return;
    std::set<std::string> now;
    for (const auto& row : launches(lab)) {
      if (row.status == LaunchStatus::finished) now.insert(row.id);
    }
    for (const std::string& id : finished) EXPECT_TRUE(now.contains(id)) << "a finished launch was lost";
    finished = now;
  };
  std::vector<std::string> next = fake("step_us=2000", {"-s", "serial", "-s", "dp2", "-f", "gloo", "-n", "3"});
  for (int kills = 0; kills < 30; ++kills) {
    const pid_t pid = lab.begin(next);
    sleep_ms(std::uniform_int_distribution<int>(0, 450)(random));
    kill(pid, SIGKILL);
    const bool complete = testing::wait_for(pid) == 0;
    check();
    const bool begun = std::filesystem::exists(lab.store_file) && !lab.store().campaigns().empty();
    if (begun && !complete) next = {"run", "--resume", "@last"};
    if (complete) next = fake("step_us=2000", {"-s", "serial", "-s", "dp2", "-f", "gloo", "-n", "3"});
  }
  if (next[1] != "--resume") lab.lockstep(next);
  const auto last = lab.lockstep({"run", "--resume", "@last"});
  EXPECT_EQ(last.code, 0) << last.err;
  check();
  EXPECT_THAT(lab.processes(), IsEmpty());
  store::Store store = lab.store();
  for (const store::CampaignRow& campaign : store.campaigns()) {
    if (campaign.number != store.campaigns().back().number) continue;
    std::map<std::pair<std::string, int64_t>, int> done;
    for (const auto& row : store.launches({campaign.id, {}, {}, LaunchStatus::finished})) ++done[{row.cell, row.block}];
    EXPECT_EQ(done.size(), 6U);
    for (const auto& [key, count] : done) EXPECT_EQ(count, 1) << key.first;
  }
}

TEST(Interrupt, IsHeardWhileOthersAreWaitedFor) {
  const Lab lab;
  std::atomic<bool> over = false;
  std::thread other([&] {  // keeps the machine busy
    while (!over) {
    }
  });
  const pid_t pid = lab.begin(fake("step_us=500", {"-n", "1", "--wait-idle", "1000"}));
  while (testing::text_of(lab.folder / "begin.log").find("waiting for others") == std::string::npos) sleep_ms(5);
  kill(pid, SIGINT);
  EXPECT_EQ(testing::wait_for(pid), 130);
  over = true;
  other.join();
  EXPECT_THAT(launches(lab), IsEmpty());
}

TEST(Proof, IsMadeAgainWhereTheWorkerWasEdited) {
  const Lab lab;
  testing::make_home(lab.folder / "home", "unknown", "1");
  const testing::Variable home("LOCKSTEP_HOME", lab.folder / "home");
  const auto proofs = [&] {
    lab.lockstep({"run", "-w", kTinyWork, "-S", "fake", "-s", "serial", "-n", "1"});
    store::Store store = lab.store();
    const auto rows = store.launches({{}, {}, store::LaunchMode::verify, LaunchStatus::finished});
    return std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.cell.ends_with(" fake serial"); });
  };
  EXPECT_EQ(proofs(), 1);
  EXPECT_EQ(proofs(), 1);
  std::ofstream(lab.folder / "home" / "adapters" / "fake" / "worker.sh", std::ios::app) << "# edited\n";
  EXPECT_EQ(proofs(), 2);
}

TEST(Store, TwoHarnessesAtOnceLoseNothing) {
  const Lab lab;
  const pid_t first = lab.begin(fake("step_us=500", {"-n", "4"}));
  const pid_t second = lab.begin(fake("step_us=600", {"-n", "4"}));
  EXPECT_EQ(testing::wait_for(first), 0);
  EXPECT_EQ(testing::wait_for(second), 0);
  store::Store store = lab.store();
  EXPECT_EQ(store.campaigns().size(), 2U);
  EXPECT_EQ(store.launches({{}, {}, {}, LaunchStatus::finished}).size(), 8U);
}

TEST(Resume, OneHarnessAtATime) {
  const Lab lab;
  const pid_t pid = lab.begin(fake("step_us=50000", {"-n", "1"}));
  while (lab.processes().empty()) sleep_ms(5);
  const auto second = lab.lockstep({"run", "--resume", "@last"});
  EXPECT_EQ(second.code, 2);
  EXPECT_THAT(second.err, HasSubstr("another program"));
  EXPECT_EQ(testing::wait_for(pid), 0);
}

TEST(Resume, FailedLaunchesRunAgainWhenAsked) {
  const Lab lab;
  EXPECT_EQ(lab.lockstep(fake("misbehave=crash", {"-n", "1"})).code, 3);
  EXPECT_EQ(lab.lockstep({"run", "--resume", "@1"}).code, 0);
  EXPECT_EQ(launches(lab).size(), 1U);
  EXPECT_EQ(lab.lockstep({"run", "--resume", "@1", "--failed"}).code, 3);
  EXPECT_EQ(launches(lab).size(), 2U);
}

}  // namespace
}  // namespace lockstep
