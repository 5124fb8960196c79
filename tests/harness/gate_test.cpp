#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/harness/lab.h"

/// `lockstep compare` and `lockstep check` on two builds, which the fake worker stands in for.
namespace lockstep::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Gate : public ::testing::Test {
 protected:
  Gate() {
    write_suite("gate", "fake:step_us=2000", R"("serial")");
    std::ofstream(lab.folder / "lockstep-fake-worker")
        << "#!/bin/sh\nLOCKSTEP_FAKE_GIT=aaaa1111 LOCKSTEP_FAKE_FACTOR=1 exec " LOCKSTEP_BIN_DIR
           "/lockstep-fake-worker \"$@\"\n";
    fs::permissions(lab.folder / "lockstep-fake-worker", fs::perms::owner_all);
    fs::create_symlink(LOCKSTEP_BIN_DIR "/lockstep-worker", lab.folder / "lockstep-worker");
    build("aaaa1111", "1");
    const auto baseline = lab.lockstep({"run", suite, "--no-verify"});
    EXPECT_EQ(baseline.code, 0) << baseline.err;
  }
  ~Gate() override { unsetenv("LOCKSTEP_FAKE_GIT"), unsetenv("LOCKSTEP_FAKE_FACTOR"); }

  static void build(const char* git, const char* factor) {
    setenv("LOCKSTEP_FAKE_GIT", git, 1), setenv("LOCKSTEP_FAKE_FACTOR", factor, 1);
  }

  // The file of a suite with one entry.
  std::string write_suite(const std::string& name, const std::string& system, const std::string& strategies) const {
    const std::string file = (lab.folder / (name + ".json")).string();
    std::ofstream(file) << R"({"suite":")" << name << R"(","title":"t","workloads":[")" << kTinyWork
                        << R"("],"cells":[{"systems":[")" << system << R"("],"strategies":[)" << strategies
                        << R"(],"fabrics":["threads"]}],"launches":6,"warmup":2})";
    return file;
  }

  launch::Captured check(std::vector<std::string> more) const {
    more.insert(more.begin(), {suite, "--baseline", "git:aaaa1111", "--no-verify"});
    return check_with(std::move(more));
  }
  launch::Captured check_with(std::vector<std::string> all) const {
    all.insert(all.begin(), "check");
    all.insert(all.end(), {"--output", output.string()});
    return lab.lockstep(all);
  }

  int64_t campaigns() const { return static_cast<int64_t>(lab.store().campaigns().size()); }

  std::string file(const char* name) const { return text_of(output / name); }

  Lab lab;
  const std::string suite = (lab.folder / "gate.json").string();
  const fs::path output = lab.folder / "out";
};

TEST_F(Gate, ASlowerBuildIsConfirmedByFreshPairsAndFails) {
  build("bbbb2222", "10");
  const auto result = check({"--baseline-build", lab.folder.string(), "--pairs", "8"});
  EXPECT_EQ(result.code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("git bbbb2222 against git:aaaa1111 = aaaa1111"), HasSubstr("8 pairs"),
                                HasSubstr("REGRESSED"), HasSubstr("exit 1")));
  EXPECT_THAT(file("junit.xml"), AllOf(HasSubstr("failures=\"1\""), HasSubstr("gate")));
  EXPECT_THAT(file("summary.md"), HasSubstr("**regressed**"));
  const auto document = nlohmann::json::parse(file("check.json"));
  EXPECT_EQ(document["format"], "lockstep.check");
  EXPECT_EQ(document["exit_code"], 1);
  EXPECT_EQ(document["verdicts"][0]["verdict"], "regressed");
  EXPECT_EQ(document["verdicts"][0]["paired"], true);
  EXPECT_GT(document["verdicts"][0]["ratio"], 1.5);
  // The two campaigns of the confirmation took turns; compare pairs them too.
  const auto compared = lab.lockstep({"compare", "@3", "@4"});
  EXPECT_THAT(compared.out,
              AllOf(HasSubstr("8 pairs"), HasSubstr("regressed"), HasSubstr("versions.git aaaa1111 -> bbbb2222")));
}

TEST_F(Gate, TheSameBuildAgainIsNoRegression) {
  // The very same on both sides: under load the shell of the fixture's script costs the short region a visible part.
  fs::remove(lab.folder / "lockstep-fake-worker");
  fs::create_symlink(LOCKSTEP_BIN_DIR "/lockstep-fake-worker", lab.folder / "lockstep-fake-worker");
  const auto result = check({"--baseline-build", lab.folder.string(), "--pairs", "8"});
  EXPECT_NE(result.code, 1) << result.out;
  EXPECT_THAT(result.out, Not(HasSubstr("REGRESSED")));
}

TEST_F(Gate, StoredDataAloneIsAtWorstSuspicious) {
  build("bbbb2222", "10");
  ASSERT_EQ(lab.lockstep({"run", suite, "--no-verify"}).code, 0);
  const auto lenient = check({"--no-run"});
  EXPECT_EQ(lenient.code, 0) << lenient.out;
  EXPECT_THAT(lenient.out, AllOf(HasSubstr("suspicious"), HasSubstr("--baseline-build DIR")));
  EXPECT_EQ(check({"--no-run", "--strict"}).code, 4);
}

TEST_F(Gate, ABudgetThatAllowsNoFreshPairsIsNamedAsTheReason) {
  build("bbbb2222", "10");
  const auto result = check({"--baseline-build", lab.folder.string(), "--budget", "0"});
  EXPECT_EQ(campaigns(), 2);
  EXPECT_THAT(result.out, AllOf(HasSubstr("suspicious"), HasSubstr("the budget allows no fresh pairs"),
                                HasSubstr("all need about 1: --budget 1"), Not(HasSubstr("settle it"))));
}

TEST_F(Gate, ABaselineIsANameOfGitAndOfTheSuite) {
  const auto git = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"git", "-C", lab.folder.string(), "-c", "user.name=t", "-c", "user.email=t@t"});
    const auto done = launch::capture(words, 30);
    EXPECT_EQ(done.code, 0) << done.err;
    return done.out.substr(0, done.out.find('\n'));
  };
  git({"init", "--quiet"}), git({"commit", "--quiet", "--allow-empty", "-m", "one"});
  const std::string whole = git({"rev-parse", "HEAD"}), revision = whole.substr(0, 12);
  git({"branch", "feature/x"}), git({"branch", "cafe"});
  git({"commit", "--quiet", "--allow-empty", "-m", "two"}), git({"branch", "never-ran"});
  build(revision.c_str(), "1");
  ASSERT_EQ(lab.lockstep({"run", suite, "--no-verify"}).code, 0);
  ASSERT_EQ(lab.lockstep({"run", write_suite("other", "fake", R"("dp2")"), "--no-verify"}).code, 0);
  build((revision + "+").c_str(), "1");
  ASSERT_EQ(lab.lockstep({"run", suite, "--no-verify"}).code, 0);
  const auto against = [&](const std::string& name) {
    return check_with({suite, "--no-run", "--candidate", "@1", "--baseline", "git:" + name});
  };
  for (const std::string& name : {std::string("feature/x"), std::string("feature/x/system:fake*"), std::string("cafe"),
                                  whole, revision.substr(0, 6)}) {
    const auto result = against(name);
    EXPECT_NE(result.code, 2) << name << result.err;
    EXPECT_EQ(nlohmann::json::parse(file("check.json"))["baseline_build"], revision) << name;
  }
  EXPECT_THAT(against("nothing/so").err, HasSubstr("git knows no such name"));
  EXPECT_THAT(against("never-ran").err, HasSubstr("no campaign of the store ran with that build"));
  EXPECT_THAT(lab.lockstep({"compare", "git:cafe+", "@1"}).out, HasSubstr("A git:" + revision + "+"));
}

TEST_F(Gate, OtherCellsThanTheBaselinesAreRefusedBeforeAnythingRuns) {
  const auto result = check_with({write_suite("other", "fake", R"("dp2")"), "--baseline", "@1"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("suite other against @1: no cell in common"), HasSubstr("lockstep list")));
  EXPECT_EQ(campaigns(), 1);
}

TEST_F(Gate, ABaselineIsNotItsOwnCandidate) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--no-run"}, {"--candidate", "@1"}}) {
    const auto result = check(more);
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err, AllOf(HasSubstr("cannot be checked against itself"), HasSubstr("--candidate @14")));
  }
}

TEST_F(Gate, TheBaselinesFilterHoldsForWhatIsRunAndUnsupportedOnBothSidesIsNoError) {
  const std::string both = write_suite("both", "fake", R"("serial","dp2","tp2")");
  ASSERT_EQ(lab.lockstep({"run", both, "--no-verify"}).code, 0);
  const auto part = check_with({both, "--no-verify", "--baseline", "@2/strategy:serial"});
  EXPECT_NE(part.code, 3) << part.out;
  EXPECT_THAT(file("junit.xml"), HasSubstr("tests=\"2\""));
  store::Store store = lab.store();
  EXPECT_EQ(store.cells(store.campaign(3)->id).size(), 1U);
  const auto all = check_with({both, "--no-verify", "--baseline", "@2"});
  EXPECT_NE(all.code, 3) << all.out;
  EXPECT_THAT(all.out, HasSubstr("unsupported: on both sides"));
}

TEST_F(Gate, AProofThatFailedOrCouldNotBeMadeIsAnError) {
  const auto failed = check_with({suite, "--baseline", "git:aaaa1111"});
  EXPECT_EQ(failed.code, 3) << failed.out;
  EXPECT_THAT(failed.out, HasSubstr("equal work failed"));
  const std::string unproved = write_suite("unproved", "fake:misbehave=unproved", R"("serial")");
  ASSERT_EQ(lab.lockstep({"run", unproved, "--no-verify"}).code, 0);
  const auto missing = check_with({unproved, "--baseline", "@" + std::to_string(campaigns())});
  EXPECT_EQ(missing.code, 3) << missing.out;
  EXPECT_THAT(missing.out, HasSubstr("equal work not proved"));
}

TEST_F(Gate, UsageErrorsComeBeforeAnythingRuns) {
  EXPECT_EQ(check({"--baseline-build", "/nowhere"}).code, 2);
  EXPECT_EQ(lab.lockstep({"check", "--baseline", "@9"}).code, 2);
  EXPECT_EQ(lab.lockstep({"compare", "@1", "@9"}).code, 2);
  EXPECT_EQ(lab.store().campaigns().size(), 1U);
}

TEST_F(Gate, AFailedSideIsAnErrorNeverAPass) {
  setenv("LOCKSTEP_FAKE_FACTOR", "not a number", 1);
  const auto result = check({});
  EXPECT_EQ(result.code, 3) << result.out;
  EXPECT_THAT(result.out, HasSubstr("error"));
}

TEST(GateOfScripts, EachBuildIsMeasuredWithAdaptersOfItsOwn) {
  const Lab lab;
  const std::string suite = (lab.folder / "gate.json").string();
  std::ofstream(suite) << R"({"suite":"gate","title":"t","workloads":[")" << kTinyWork
                       << R"("],"cells":[{"systems":["fake:step_us=2000"],"strategies":["serial"]}],)"
                       << R"("launches":6,"warmup":2})";
  make_home(lab.folder / "old", "aaaa1111", "1"), make_home(lab.folder / "new", "bbbb2222", "10");
  for (const char* build : {"old", "bare"}) {
    fs::create_directories(lab.folder / build / "bin");
    fs::create_symlink(LOCKSTEP_BIN_DIR "/lockstep-worker", lab.folder / build / "bin" / "lockstep-worker");
  }
  Variable home("LOCKSTEP_HOME", lab.folder / "old");
  ASSERT_EQ(lab.lockstep({"run", suite, "--no-verify"}).code, 0);
  home.set(lab.folder / "new");
  const auto check = [&](const char* build) {
    return lab.lockstep({"check", suite, "--baseline", "@1", "--no-verify", "--baseline-build", lab.folder / build});
  };
  const auto bare = check("bare");
  EXPECT_EQ(bare.code, 2);
  EXPECT_THAT(bare.err, HasSubstr("no folder above it has adapters"));
  EXPECT_EQ(lab.store().campaigns().size(), 1U);
  const auto result = check("old");
  EXPECT_EQ(result.code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("REGRESSED"));
}

}  // namespace
}  // namespace lockstep::testing
