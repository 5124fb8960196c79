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

class Gate : public ::testing::Test {
 protected:
  Gate() {
    std::ofstream(suite) << R"({"suite":"gate","title":"t","workloads":[")" << kTinyWork
                         << R"("],"cells":[{"systems":["fake:step_us=2000"],"strategies":["serial"]}],)"
                         << R"("launches":6,"warmup":2})";
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

  launch::Captured check(std::vector<std::string> more) const {
    std::vector<std::string> all{"check",       suite,      "--baseline",   "git:aaaa1111",
                                 "--no-verify", "--output", output.string()};
    all.insert(all.end(), more.begin(), more.end());
    return lab.lockstep(all);
  }

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
  build("bbbb2222", "1");
  const auto result = check({"--baseline-build", lab.folder.string(), "--pairs", "8"});
  EXPECT_NE(result.code, 1) << result.out;
  EXPECT_THAT(result.out, ::testing::Not(HasSubstr("REGRESSED")));
}

TEST_F(Gate, StoredDataAloneIsAtWorstSuspicious) {
  build("bbbb2222", "10");
  ASSERT_EQ(lab.lockstep({"run", suite, "--no-verify"}).code, 0);
  const auto lenient = check({"--no-run"});
  EXPECT_EQ(lenient.code, 0) << lenient.out;
  EXPECT_THAT(lenient.out, AllOf(HasSubstr("suspicious"), HasSubstr("--baseline-build DIR")));
  EXPECT_EQ(check({"--no-run", "--strict"}).code, 4);
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

}  // namespace
}  // namespace lockstep::testing
