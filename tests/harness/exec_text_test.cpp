#include <gmock/gmock.h>

#include "harness/exec/experiment.h"
#include "results/snapshot/efficiency.h"
#include "results/snapshot/selector.h"

namespace lockstep::exec {
namespace {

Experiment sample() {
  Experiment e;
  e.name = "train", e.command = {"python3", "train.py"}, e.directory = "/d";
  e.variants = {{"A", {{"OMP_NUM_THREADS", "1"}, {"SEED", "7"}}}, {"B", {}}};
  return e;
}

TEST(ExecText, CellsOfVariants) {
  Experiment e = sample();
  EXPECT_EQ(strategy_text(e.variants[0]), "A:OMP_NUM_THREADS=1,SEED=7");
  EXPECT_EQ(strategy_text(e.variants[1]), "B");
  EXPECT_THAT(workload_text(e), ::testing::MatchesRegex("exec:train,command=[0-9a-f]{8}"));
  const std::string hashed = workload_text(e);
  e.command.emplace_back("--lr=1");
  EXPECT_NE(workload_text(e), hashed);  // another command is another workload
  e.name_is_given = true;
  EXPECT_EQ(workload_text(e), "exec:train");
}

TEST(ExecText, OddCharactersStayOneWordAndInUtf8) {
  EXPECT_EQ(escaped("Größe 日本"), "Größe%20日本");
  EXPECT_EQ(escaped("a\nb,\"c\" 5%"), "a%0Ab%2C\"c\"%205%25");
  EXPECT_EQ(escaped("\xFF\xC3"), "%FF%C3");
  EXPECT_EQ(escaped("a:b", ":"), "a%3Ab");
}

TEST(ExecText, AFilterFindsAVariant) {
  const store::CellRow cell = cell_of(sample(), sample().variants[0]);
  EXPECT_TRUE(snapshot::matches(snapshot::parse_filter("strategy:A:OMP_NUM_THREADS=1,SEED=7"), cell));
  EXPECT_TRUE(snapshot::matches(snapshot::parse_filter("preset:train,system:exec"), cell));
  EXPECT_FALSE(snapshot::matches(snapshot::parse_filter("strategy:B*"), cell));
}

TEST(ExecText, AnExperimentReadsBackFromItsCampaignAndItsCells) {
  Experiment e = sample();
  e.warmup = 5, e.tokens = 8192, e.log = "x {loss}", e.launches = 3;
  EXPECT_EQ(to_json(from_json(to_json(e))), to_json(e));
  const Experiment one = experiment_of(cell_of(e, e.variants[0]));
  EXPECT_EQ(one.command, e.command);
  EXPECT_EQ(one.warmup, 5);
  ASSERT_EQ(one.variants.size(), 1U);
  EXPECT_EQ(one.variants[0].variables, e.variants[0].variables);
  EXPECT_FALSE(snapshot::is_command({}));
}

TEST(ExecText, TheCommandToRepeatACellIsQuotedForAShell) {
  Experiment e = sample();
  e.command = {"bash", "-c", "echo 'it''s'"}, e.variants[1].variables = {{"X", "a b"}};
  e.directory = "/my data", e.samples = 4, e.tokens = 8, e.timeout_s = 0.5;
  store::CampaignRow campaign;
  campaign.suite_json = to_json(e);
  const std::string rest = R"( -- bash -c 'echo '\''it'\'''\''s'\''')";
  const std::string front = "cd '/my data' && lockstep exec -n 1 --samples 4 --tokens 8 --timeout 0.5";
  const std::string of_a = " --a OMP_NUM_THREADS=1 --a SEED=7";
  EXPECT_EQ(command_line(campaign, cell_of(e, e.variants[0])), front + of_a + rest);
  EXPECT_EQ(command_line(campaign, cell_of(e, e.variants[1]), {"--store", "x"}),
            front + of_a + " --b 'X=a b' --store x" + rest);
  // A launch that was imported without its campaign's suite has its own variant alone.
  EXPECT_EQ(command_line({}, cell_of(e, e.variants[1])), front + " --b 'X=a b'" + rest);
}

}  // namespace
}  // namespace lockstep::exec
