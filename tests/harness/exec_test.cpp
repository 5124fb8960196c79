#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "harness/launch/leftovers.h"
#include "results/snapshot/comparisons.h"
#include "tests/harness/lab.h"

/// `lockstep exec` from outside, on scripts that pretend to train and on a small one that does.
namespace lockstep::exec {
namespace {

using nlohmann::json;
using store::LaunchStatus;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Lab;

using Words = std::vector<std::string>;

constexpr const char* kFake = LOCKSTEP_SOURCE_DIR "/tests/harness/fake_training.py";

// lockstep exec OPTIONS -- python3 fake_training.py
Words fake(const Words& options) {
  Words all{"exec"};
  all.insert(all.end(), options.begin(), options.end());
  all.insert(all.end(), {"--", "python3", kFake});
  return all;
}

std::vector<store::LaunchRow> launches(const Lab& lab) { return lab.store().launches({}); }

std::vector<snapshot::Comparison> compared(const Lab& lab) {
  store::Store store = lab.store();
  return snapshot::comparisons(snapshot::load(store, store.campaigns().back()));
}

TEST(Exec, ACommandIsACellLikeAnyOther) {
  const Lab lab;
  const auto result = lab.lockstep(fake({"-n", "2", "--a", "SAY=hello", "--tokens", "512"}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("exec: campaign @1, 2 launches"), HasSubstr("A:SAY=hello"), HasSubstr("tokens/s"),
                    HasSubstr("not run"), HasSubstr("29 steps"), HasSubstr("steps by nanogpt, times from the log")));
  EXPECT_THAT(result.err, AllOf(HasSubstr("[2/2] ok"), HasSubstr("equal work: not checked")));
  const auto rows = launches(lab);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].status, LaunchStatus::finished) << rows[0].error_message;
  EXPECT_EQ(rows[0].warmup, 2);
  EXPECT_EQ(std::get<std::vector<double>>(lab.store().series(rows[0].id, 0, "loss")->values).size(), 29U);
  EXPECT_THAT(testing::text_of(lab.folder / rows[0].run_folder / "stdout.command.log"), HasSubstr("hello\niter 0"));
  for (const Words& command : {Words{"list", "@1"}, Words{"show", "@1.1"}, Words{"report", "@1/system:exec"}}) {
    EXPECT_EQ(lab.lockstep(command).code, 0) << command[0];
  }
  EXPECT_THAT(lab.lockstep({"show", "@1.1"}).out,
              HasSubstr("lockstep exec -n 1 --tokens 512 --a SAY=hello -- python3"));
  const Lab other;
  EXPECT_THAT(other.lockstep({"import", lab.runs.string()}).out, HasSubstr("2 launches imported"));
}

TEST(Exec, MemoryIsThatOfAllProcessesTogether) {
  const Lab lab;
  const std::string two = std::string("python3 ") + kFake + " & python3 " + kFake + "; wait";
  ASSERT_EQ(lab.lockstep({"exec", "-n", "1", "--a", "MIB=64", "--a", "MS=20", "--", "bash", "-c", two}).code, 0);
  store::Store store = lab.store();
  const auto processes = store.processes(launches(lab)[0].id);
  ASSERT_EQ(processes.size(), 1U);
  EXPECT_EQ(processes[0].role, "tree");
  EXPECT_GE(processes[0].peak_rss_bytes, 2 * 64 * 1048576);
  EXPECT_LE(processes[0].peak_rss_bytes, 4 * 64 * 1048576);
  EXPECT_THAT(lab.lockstep({"show", "@1.1"}).out, HasSubstr("peak RSS of the process tree 1"));
  EXPECT_THAT(lab.lockstep({"report"}).out, HasSubstr("MiB: peak RSS of the process tree"));
}

TEST(Exec, ANameThatIsUsedAgainKeepsEachLaunchItsOwnCommand) {
  const Lab lab;
  ASSERT_EQ(lab.lockstep(fake({"-n", "1", "--name", "twice", "--log", "nanogpt", "--a", "X=1"})).code, 0);
  const std::string log = "\\[{step}\\] L={loss}", quoted = "'" + log + "'";
  lab.lockstep(fake({"-n", "1", "--name", "twice", "--log", log, "--warmup", "3", "--a", "X=it's", "--b", "STYLE=plain",
                     "--timeout", "99.5"}));
  store::Store store = lab.store();
  const store::CampaignRow campaign = store.campaigns().at(1);
  EXPECT_THAT(campaign.command_line, HasSubstr("lockstep exec -n 1 --name twice --log " + quoted + " --warmup 3"));
  const auto rows = store.launches({campaign.id, {}, {}, LaunchStatus::finished});
  ASSERT_EQ(rows.size(), 1U);  // A's lines have another style
  EXPECT_THAT(rows[0].cell, HasSubstr(" B:STYLE=plain"));
  const std::string selector = "@2." + std::to_string(rows[0].number);
  EXPECT_THAT(lab.lockstep({"show", selector}).out,
              HasSubstr("cd " + lab.folder.string() + " && lockstep exec -n 1 --name twice --log " + quoted +
                        " --warmup 3 --timeout 99.5 --a 'X=it'\\''s' --b STYLE=plain -- python3 " + kFake + "\n"));
  // The same strategy in the first campaign had another format.
  lab.lockstep(fake({"-n", "1", "--name", "twice", "--log", log, "--a", "X=1"}));
  EXPECT_THAT(lab.lockstep({"show", "@3.1"}).out, HasSubstr("--log " + quoted + " --a X=1"));
  const auto rerun = lab.lockstep({"rerun", selector});
  EXPECT_EQ(rerun.code, 0) << rerun.err;
  EXPECT_THAT(rerun.out, HasSubstr("steps by the given expression"));
}

TEST(Exec, EveryVariableOfAVariantIsSet) {
  const Lab lab;
  lab.lockstep(fake({"-n", "1", "--a", "OMP_X=1", "--a", "PYTHONUNBUFFERED=", "--a", "SAY=hello"}));
  const json order = json::parse(testing::text_of(lab.folder / launches(lab)[0].run_folder / "supervisor-order.json"));
  EXPECT_EQ(order["commands"][0]["environment"], (json{"OMP_X=1", "PYTHONUNBUFFERED=", "SAY=hello"}));
}

TEST(Exec, AVariantThatTakes15PercentLongerIsSlower) {
  const Lab lab;
  const auto result = lab.lockstep(fake({"-n", "6", "--a", "SLOWDOWN=1", "--b", "SLOWDOWN=1.15"}));
  EXPECT_EQ(result.code, 0) << result.err;
  const auto all = compared(lab);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].kind, snapshot::Comparison::Kind::variants);
  EXPECT_EQ(all[0].a.strategy, "B:SLOWDOWN=1.15");
  EXPECT_EQ(all[0].word, "slower");
  EXPECT_NEAR(all[0].contrast.ratio.value, 1 / 1.15, 1e-9);
  EXPECT_TRUE(all[0].contrast.paired);
  EXPECT_THAT(result.out, HasSubstr("B:SLOWDOWN=1.15 against A:SLOWDOWN=1: slower on 1 of 1"));
  const json document = json::parse(lab.lockstep({"report", "--json"}).out);
  EXPECT_EQ(document["comparisons"][0]["kind"], "variants");
  EXPECT_EQ(document["comparisons"][0]["verdict"], "slower");
  // ABBA: within two blocks each stands once before the other.
  const auto rows = launches(lab);
  for (size_t i = 0; i + 3 < rows.size(); i += 4) {
    EXPECT_EQ(rows[i].cell, rows[i + 3].cell);
    EXPECT_NE(rows[i].cell, rows[i + 1].cell);
  }
}

TEST(Exec, TimesOfArrivalTellTheSame) {
  const Lab lab;
  const auto result = lab.lockstep(fake({"-n", "6", "--log", "\\[{step}\\] L={loss}", "--a", "STYLE=plain", "--a",
                                         "MS=5", "--b", "STYLE=plain", "--b", "MS=5", "--b", "SLOWDOWN=2"}));
  EXPECT_EQ(result.code, 0) << result.err;
  const auto all = compared(lab);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].word, "slower");
  EXPECT_NEAR(all[0].contrast.ratio.value, 0.5, 0.1);
  EXPECT_THAT(launches(lab)[0].marks, Contains("steps by the given expression, times of arrival"));
}

struct Bad {
  const char* name;
  Words options;
  const char* kind;
  const char* says;
};

class BadCommands : public ::testing::TestWithParam<Bad> {};

TEST_P(BadCommands, AreTypedFailures) {
  const Lab lab;
  Words options = GetParam().options;
  options.insert(options.end(), {"-n", "1"});
  EXPECT_EQ(lab.lockstep(fake(options)).code, 3);
  const auto rows = launches(lab);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].status, LaunchStatus::failed);
  EXPECT_EQ(rows[0].error_kind, GetParam().kind);
  EXPECT_THAT(rows[0].error_message, HasSubstr(GetParam().says));
  EXPECT_THAT(lab.processes(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Exec, BadCommands,
    ::testing::Values(
        Bad{"code",
            {"--a", "EXIT=7"},
            "command_failed",
            "exit code 7: RuntimeError: it was told to fail\nstderr.command.log: "},
        Bad{"nan", {"--a", "NAN_AT=9"}, "non_finite_loss", "step 9: stdout.command.log:11: iter 9: loss nan"},
        Bad{"no_lines", {"--a", "STYLE=plain"}, "no_steps", "lockstep exec --log-test"},
        Bad{"other_format", {"--log", "torchtitan"}, "no_steps", "number of parameters: 0.80M"},
        Bad{"few_steps", {"--a", "STEPS=3", "--warmup", "1"}, "no_steps", "at least 2 must be left"},
        Bad{"too_long", {"--a", "MS=60000", "--timeout", "0.6"}, "deadline", "deadline whole"}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(Exec, ASignalIsTheCommandsEnd) {
  const Lab lab;
  EXPECT_EQ(lab.lockstep({"exec", "-n", "1", "--", "bash", "-c", "kill -SEGV $$"}).code, 3);
  EXPECT_EQ(launches(lab).at(0).error_kind, "killed");
  EXPECT_THAT(launches(lab).at(0).error_message, HasSubstr("SIGSEGV"));
}

TEST(Exec, MistakesStartNothing) {
  const Lab lab;
  EXPECT_EQ(lab.lockstep({"exec", "-n", "1"}).code, 2);
  EXPECT_EQ(lab.lockstep({"exec", "--", "no-such-program-here"}).code, 2);
  EXPECT_EQ(lab.lockstep(fake({"--a", "novalue"})).code, 2);
  EXPECT_EQ(lab.lockstep(fake({"--log", "nanogtp"})).code, 2);
  EXPECT_EQ(lab.lockstep({"exec", "--log-test", "/no/such/file"}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(lab.runs));
}

TEST(Exec, OddNamesSurviveStoreAndJson) {
  const Lab lab;
  const std::string value = "Größe \"日本\",\n50% 'q' [x]";
  const auto result = lab.lockstep(fake({"-n", "1", "--json", "--name", "Übung, eins\n", "--a", "SAY=" + value}));
  EXPECT_EQ(result.code, 0) << result.err;
  const json document = json::parse(result.out, nullptr, false);
  ASSERT_TRUE(document.is_object()) << result.out;
  EXPECT_EQ(document["workloads"][0]["workload"], "exec:Übung%2C%20eins%0A");
  EXPECT_EQ(document["workloads"][0]["cells"][0]["strategy"], "A:SAY=Größe%20\"日本\"%2C%0A50%25%20'q'%20[x]");
  EXPECT_THAT(testing::text_of(lab.folder / launches(lab).at(0).run_folder / "stdout.command.log"), HasSubstr(value));
  const json list = json::parse(lab.lockstep({"list", "@1", "--json"}).out);
  EXPECT_EQ(list["launches"][0]["preset"], "Übung%2C%20eins%0A");
  EXPECT_TRUE(json::parse(lab.lockstep({"show", "@1.1", "--json"}).out).contains("throughput_steps_per_s"));
}

TEST(Exec, AnInterruptionEndsTheCommandAndTheCampaignGoesOn) {
  const Lab lab;
  const pid_t pid = lab.begin(fake({"-n", "2", "--a", "MS=30"}));
  while (lab.processes().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  kill(pid, SIGINT);
  EXPECT_EQ(testing::wait_for(pid), 130);
  EXPECT_THAT(lab.processes(), IsEmpty());
  EXPECT_EQ(launches(lab).at(0).status, LaunchStatus::interrupted);
  EXPECT_THAT(launch::find_leftovers(launches(lab).at(0).id), IsEmpty());
  const auto result = lab.lockstep({"run", "--resume", "@1"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(lab.store().launches({{}, {}, {}, LaunchStatus::finished}).size(), 2U);
}

TEST(Exec, WhatACommandLeavesBehindIsEnded) {
  const Lab lab;
  const Words command{"exec", "-n", "1", "--", "bash", "-c", std::string("sleep 300 & python3 ") + kFake};
  EXPECT_EQ(lab.lockstep(command).code, 0);
  EXPECT_THAT(launches(lab).at(0).marks, Contains("left processes behind"));
}

TEST(Exec, PyTorchWithOneAndTwoThreads) {
  const std::string python = "/usr/bin/python3";  // the distribution's
  const auto import = launch::capture({python, "-c", "import torch"}, 120);
  if (import.code != 0) GTEST_SKIP() << python << " has no torch: " << import.err;
  const Lab lab;
  const auto result = lab.lockstep({"exec", "-n", "2", "--a", "OMP_NUM_THREADS=1", "--b", "OMP_NUM_THREADS=2", "--",
                                    python, LOCKSTEP_SOURCE_DIR "/tests/harness/tiny_torch.py"},
                                   300);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("A:OMP_NUM_THREADS=1"), HasSubstr("B:OMP_NUM_THREADS=2")));
  const auto all = compared(lab);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_GT(all[0].contrast.ratio.value, 0);
  for (const auto& row : launches(lab)) EXPECT_EQ(row.status, LaunchStatus::finished) << row.error_message;
}

}  // namespace
}  // namespace lockstep::exec
