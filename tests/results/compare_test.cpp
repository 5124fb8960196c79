#include "results/snapshot/compare.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <utility>

#include "results/snapshot/build_pool.h"
#include "tests/results/store_records.h"

namespace lockstep::snapshot {
namespace {

using store::testing::cell;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A store of campaigns whose launches a test describes: 1 step of warm-up, 10 timed ones.
struct Lab {
  store::testing::Folder folder;
  store::Store store = store::Store::open(folder.file(), store::OpenMode::create);

  store::CampaignRow campaign(const std::string& suite = "s") {
    store::CampaignRow row;
    row.suite = suite;
    return store.begin_campaign(row);
  }

  struct Launch {
    double step_ms = 10;
    int64_t block = 0, at_s = 0, threads = 1, warmup = 1;
    double loss = 2, pss_mib = 100;  ///< 0: not measured
    const char* git = "aaaa";
    const char* torch = "1.13";
  };

  void add(const store::CampaignRow& campaign, const store::CellRow& cell, const Launch& its) {
    store::LaunchRecord out = store::testing::record(campaign, ++next_, cell);
    out.launch.block = out.launch.repetition = its.block, out.launch.steps = 11, out.launch.threads = its.threads;
    out.launch.warmup = its.warmup;
    out.launch.started_utc_ns = its.at_s * 1'000'000'000;
    out.environment.json = fmt::format(
        R"({{"machine":{{"cpu":"X","host":"h"}},"versions":{{"git":"{}","torch":"{}"}}}})", its.git, its.torch);
    out.launch.environment = "";
    out.series.clear(), out.processes.clear();
    std::vector<int64_t> begin, end;
    for (int64_t step = 0; step <= 10; ++step) {
      begin.push_back(static_cast<int64_t>(static_cast<double>(step) * its.step_ms * 1e6));
      end.push_back(static_cast<int64_t>(static_cast<double>(step + 1) * its.step_ms * 1e6));
    }
    out.series = {{0, "step_begin_ns", "ns", begin},
                  {0, "step_end_ns", "ns", end},
                  {0, "samples", "", std::vector<int64_t>(11, 8)},
                  {0, "loss", "nat", std::vector<double>(11, its.loss)},
                  {0, "loss_weight", "", std::vector<double>(11, 8)}};
    store::ProcessRow process;
    process.peak_pss_bytes = static_cast<int64_t>(its.pss_mib * 1048576);
    if (its.pss_mib > 0) out.processes = {process};
    store.import_launch(out);
  }

  void skip(const store::CampaignRow& campaign, const store::CellRow& cell, const char* kind) {
    store::LaunchRecord out = store::testing::record(campaign, ++next_, cell);
    out.launch.status = store::LaunchStatus::skipped;
    out.launch.error_kind = kind, out.launch.error_message = "the adapter does serial";
    store.import_launch(out);
  }

  CampaignComparison compare(const store::CampaignRow& a, const store::CampaignRow& b,
                             const std::vector<std::string>& vary = {"git"}) {
    return snapshot::compare(store, {"A", load(store, a)}, {"B", load(store, b)}, vary);
  }

 private:
  int64_t next_ = 0;
};

const store::CellRow kSerialCell = cell("mlp:tiny", "reference", "serial");

/// Step times of a cell with a little noise that is not the same in any two blocks.
double noisy(double ms, int64_t block) { return ms * (1 + 0.002 * static_cast<double>((block * 7) % 5)); }

std::vector<std::string> words(const CampaignComparison& comparison, const std::string& metric) {
  std::vector<std::string> out;
  for (const Verdict& v : comparison.verdicts) {
    if (v.metric == metric) out.push_back(v.word);
  }
  return out;
}

TEST(Compare, BuildsThatTookTurnsArePaired) {
  Lab lab;
  const auto a = lab.campaign(), b = lab.campaign();
  for (int64_t block = 0; block < 8; ++block) {
    lab.add(a, kSerialCell, {.step_ms = noisy(10, block), .block = block, .at_s = 10 * block, .git = "aaaa"});
    lab.add(b, kSerialCell, {.step_ms = noisy(11.5, block), .block = block, .at_s = 10 * block + 5, .git = "bbbb"});
  }
  const CampaignComparison c = lab.compare(a, b);
  EXPECT_EQ(c.relation, Relation::builds);
  EXPECT_TRUE(c.took_turns);
  ASSERT_THAT(words(c, "time"), ElementsAre("regressed"));
  EXPECT_NEAR(c.verdicts[0].contrast.ratio.value, 1.15, 1e-9);
  EXPECT_EQ(c.verdicts[0].contrast.ratio.n, 8);
  EXPECT_THAT(words(c, "peak_memory"), ElementsAre("equivalent"));
  EXPECT_EQ(c.losses, 8);
  EXPECT_EQ(c.same_losses, 8);
  EXPECT_EQ(c.differences, (std::vector<Difference>{{"versions.git", "aaaa", "bbbb", false}}));
}

TEST(Compare, EqualBuildsAreEquivalentAndFasterOnesImproved) {
  for (const auto& [ms, word] : {std::pair(10.0, "equivalent"), std::pair(8.0, "improved")}) {
    Lab lab;
    const auto a = lab.campaign(), b = lab.campaign();
    for (int64_t block = 0; block < 8; ++block) {
      lab.add(a, kSerialCell, {.step_ms = noisy(10, block), .block = block, .at_s = block});
      lab.add(b, kSerialCell, {.step_ms = noisy(ms, block + 3), .block = block, .at_s = 1000 + block});
    }
    const CampaignComparison c = lab.compare(a, b);
    EXPECT_FALSE(c.took_turns);  // all of A came first
    EXPECT_THAT(words(c, "time"), ElementsAre(word));
  }
}

TEST(Compare, WhatMustMatchAndDoesNotIsIncomparable) {
  struct Case {
    Lab::Launch other;
    const char* reason;
  };
  for (const Case& one :
       {Case{{.torch = "2.15"}, "versions.torch: A 1.13, B 2.15"}, Case{{.threads = 2}, "threads a rank: A 1, B 2"}}) {
    Lab lab;
    const auto a = lab.campaign(), b = lab.campaign();
    for (int64_t block = 0; block < 6; ++block) {
      Lab::Launch ours{.block = block, .at_s = block}, theirs = one.other;
      theirs.block = block, theirs.at_s = 100 + block;
      lab.add(a, kSerialCell, ours), lab.add(b, kSerialCell, theirs);
    }
    const CampaignComparison c = lab.compare(a, b);
    EXPECT_THAT(words(c, "time"), ElementsAre("incomparable"));
    EXPECT_THAT(c.verdicts[0].reason, HasSubstr(one.reason));
    if (std::string_view(one.other.torch) != "1.13") {
      EXPECT_THAT(words(lab.compare(a, b, {"torch"}), "time"), ElementsAre("equivalent"));
    }
  }
}

TEST(Compare, AMissingFailedOrNonFiniteSideIsAnErrorNeverAPass) {
  const store::CellRow other = cell("mlp:tiny", "reference", "dp2", "threads", 2);
  Lab lab;
  const auto a = lab.campaign(), b = lab.campaign();
  for (int64_t block = 0; block < 6; ++block) {
    lab.add(a, kSerialCell, {.block = block}), lab.add(a, other, {.block = block});
    lab.add(b, kSerialCell, {.block = block, .loss = block == 3 ? std::nan("") : 2});
  }
  const CampaignComparison c = lab.compare(a, b);
  EXPECT_THAT(words(c, "time"), ElementsAre("error", "error"));
  EXPECT_THAT(c.verdicts[0].reason, HasSubstr("the loss is not finite"));
  EXPECT_EQ(c.verdicts[1].reason, "B has no such cell");
}

TEST(Compare, OnlyCellsThatNeitherSideSupportsAreNoError) {
  const store::CellRow other = cell("mlp:tiny", "reference", "dp2", "threads", 2),
                       third = cell("mlp:tiny", "reference", "dp4", "threads", 4);
  Lab lab;
  const auto a = lab.campaign(), b = lab.campaign();
  for (int64_t block = 0; block < 6; ++block) {
    lab.add(a, kSerialCell, {.block = block}), lab.add(b, kSerialCell, {.block = block});
    lab.add(a, third, {.block = block});
  }
  lab.skip(a, other, "unsupported"), lab.skip(b, other, "unsupported"), lab.skip(b, third, "unsupported");
  const CampaignComparison c = lab.compare(a, b);
  EXPECT_THAT(words(c, "time"), ElementsAre("equivalent", "error", "unsupported"));
  EXPECT_THAT(c.verdicts[1].reason, HasSubstr("B: skipped unsupported"));
  EXPECT_THAT(c.verdicts[2].reason, HasSubstr("on both sides: the adapter does serial"));
}

struct Measured {
  double a_mib, b_mib;
  const char *word, *why;
};

TEST(Compare, MemoryThatWasNotMeasuredIsLeftOutAndSaid) {
  for (const Measured& one : {Measured{0, 0, "", "nobody measured it"}, Measured{0, 100, "", "A did not measure it"},
                              Measured{100, 0, "error", ""}}) {
    Lab lab;
    const auto a = lab.campaign(), b = lab.campaign();
    for (int64_t block = 0; block < 6; ++block) {
      lab.add(a, kSerialCell, {.block = block, .pss_mib = one.a_mib});
      lab.add(b, kSerialCell, {.block = block, .pss_mib = one.b_mib});
    }
    const CampaignComparison c = lab.compare(a, b);
    EXPECT_THAT(words(c, "time"), ElementsAre("equivalent"));
    if (*one.word != '\0') {
      EXPECT_THAT(words(c, "peak_memory"), ElementsAre(one.word));
      EXPECT_EQ(c.verdicts[1].reason, "B did not measure it");
      continue;
    }
    EXPECT_THAT(words(c, "peak_memory"), IsEmpty());
    ASSERT_EQ(c.unmeasured.size(), 1U);
    EXPECT_EQ(c.unmeasured[0].why, one.why);
  }
}

TEST(Compare, BuildsWithoutACommonCellAreRefusedWithWhatEachHas) {
  Lab lab;
  const auto a = lab.campaign(), b = lab.campaign();
  for (int64_t block = 0; block < 6; ++block) {
    lab.add(a, kSerialCell, {.block = block});
    lab.add(b, cell("mlp:tiny", "pytorch", "serial"), {.block = block});
  }
  const auto refused = [&] { compare_builds(lab.store, {"@1", load(lab.store, a)}, {"@2", load(lab.store, b)}, {}); };
  EXPECT_THAT(store::testing::failure_of(refused),
              ::testing::AllOf(HasSubstr("usage: @2 against @1: no cell in common"),
                               HasSubstr("@1 has mlp:tiny reference serial; @2 has mlp:tiny pytorch serial")));
}

struct Older {
  Lab::Launch launch;
  const char* why;
};

TEST(Compare, EachLaunchOfAPoolHasToMatchAndTheRestIsLeftOutAndSaid) {
  for (const Older& older :
       {Older{{.threads = 2}, "threads a rank: 2, newest 1"}, Older{{.warmup = 4}, "warm-up steps: 4, newest 1"},
        Older{{.torch = "1.12"}, "versions.torch: 1.12, newest 1.13"},
        Older{{.git = "cccc"}, "versions.git: cccc, newest aaaa"}}) {
    Lab lab;
    const auto first = lab.campaign(), second = lab.campaign(), b = lab.campaign();
    for (int64_t block = 0; block < 6; ++block) {
      Lab::Launch old = older.launch;
      old.step_ms = 20, old.block = block, old.at_s = block;
      lab.add(first, kSerialCell, old);
      lab.add(second, kSerialCell, {.step_ms = noisy(10, block), .block = block, .at_s = 100 + block});
      lab.add(b, kSerialCell, {.step_ms = noisy(10, block), .block = block, .at_s = 200 + block, .git = "bbbb"});
    }
    const CampaignSnapshot pool = load_pool(lab.store, {second, first}, {}, 24);
    const CampaignComparison c = snapshot::compare(lab.store, {"A", pool}, {"B", load(lab.store, b)}, {"git"});
    EXPECT_THAT(words(c, "time"), ElementsAre("equivalent")) << older.why;
    EXPECT_EQ(c.verdicts[0].a.n, 6);
    ASSERT_EQ(c.left_out.size(), 1U) << older.why;
    EXPECT_EQ(c.left_out[0].launches, 6);
    EXPECT_TRUE(c.left_out[0].of_a);
    EXPECT_EQ(c.left_out[0].why, older.why);
  }
}

TEST(Compare, OtherSystemsAreMatchedByStrategyAndSpokenOfInSpeed) {
  const store::CellRow torch = cell("mlp:tiny", "pytorch", "serial");
  Lab lab;
  const auto a = lab.campaign();
  for (int64_t block = 0; block < 6; ++block) {
    lab.add(a, kSerialCell, {.step_ms = noisy(10, block), .block = block, .at_s = block});
    lab.add(a, torch, {.step_ms = noisy(20, block), .block = block, .at_s = block, .torch = "2.15"});
  }
  const auto side = [&](const char* filter) {
    return Side{filter, load(lab.store, *lab.store.campaign(1), parse_filter(filter))};
  };
  const CampaignComparison c = compare(lab.store, side("system:reference"), side("system:pytorch"), {"git"});
  EXPECT_EQ(c.relation, Relation::systems);
  ASSERT_THAT(words(c, "time"), ElementsAre("faster"));
  EXPECT_NEAR(c.verdicts[0].contrast.ratio.value, 2, 1e-9);
  EXPECT_THAT(words(c, "peak_memory"), IsEmpty());
}

TEST(BuildPool, TakesTheNewestLaunchesOfABuildOverItsCampaigns) {
  Lab lab;
  for (int64_t n = 0; n < 3; ++n) {
    const auto campaign = lab.campaign();
    for (int64_t block = 0; block < 6; ++block) {
      lab.add(campaign, kSerialCell,
              {.step_ms = 10.0 + static_cast<double>(n), .block = block, .git = n == 2 ? "bbbb" : "aaaa"});
    }
  }
  EXPECT_EQ(build_of(lab.store, *lab.store.campaign(3)), "bbbb");
  const auto campaigns = campaigns_of_build(lab.store, "aaaa", "s");
  ASSERT_EQ(campaigns.size(), 2U);
  EXPECT_EQ(campaigns[0].number, 2);
  const CampaignSnapshot pool = load_pool(lab.store, campaigns, {}, 8);
  ASSERT_EQ(pool.groups.at(0).cells.at(0).launches.size(), 8U);  // 6 of the newer, 2 of the older
  int64_t newer = 0;
  for (const LaunchFigures& launch : pool.groups[0].cells[0].launches) newer += launch.step_s > 0.0105;
  EXPECT_EQ(newer, 6);
  EXPECT_EQ(resolve(lab.store, parse_selector("git:aaaa").campaign).number, 2);
}

TEST(BuildPool, LaunchesOfAnotherSetUpTakeNoPlacesOfTheOthers) {
  Lab lab;
  const auto older = lab.campaign(), newer = lab.campaign();
  for (int64_t block = 0; block < 6; ++block) {
    lab.add(older, kSerialCell, {.block = block, .threads = 1});
    lab.add(newer, kSerialCell, {.block = block, .threads = 2});
  }
  const CampaignSnapshot pool = load_pool(lab.store, {newer, older}, {}, 6);
  EXPECT_EQ(pool.groups.at(0).cells.at(0).launches.size(), 12U);
}

TEST(BuildPool, ARevisionMeansABuildAtAnyLengthAndWhatWasEditedIsAnother) {
  for (const char* revision : {"1a2b", "1a2b3c4d5e6f", "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d"}) {
    EXPECT_TRUE(means(revision, "1a2b3c4d5e6f")) << revision;
    EXPECT_FALSE(means(revision, "1a2b3c4d5e6f+")) << revision;
    EXPECT_TRUE(means(std::string(revision) + "+", "1a2b3c4d5e6f+")) << revision;
    EXPECT_FALSE(means(std::string(revision) + "+", "1a2b3c4d5e6f")) << revision;
  }
  EXPECT_FALSE(means("1a2", "1a2b3c4d5e6f"));
  EXPECT_FALSE(means("1a2b", ""));
}

TEST(BuildPool, ABuildsNewestCampaignIsThatOfTheSuite) {
  Lab lab;
  const auto wanted = lab.campaign("wanted"), dirty = lab.campaign("wanted"), other = lab.campaign("other");
  lab.add(wanted, kSerialCell, {.git = "1a2b3c4d"});
  lab.add(dirty, kSerialCell, {.git = "1a2b3c4d+"});
  lab.add(other, kSerialCell, {.git = "1a2b3c4d"});
  const CampaignSelector selector = parse_selector("git:1a2b").campaign;
  EXPECT_EQ(resolve(lab.store, selector).number, other.number);
  EXPECT_EQ(resolve(lab.store, selector, "wanted").number, wanted.number);
  EXPECT_EQ(resolve(lab.store, parse_selector("git:1a2b+").campaign).number, dirty.number);
  EXPECT_THAT(store::testing::failure_of([&] { resolve(lab.store, selector, "third"); }),
              HasSubstr("not in this store with suite third"));
}

TEST(Environment, WhatARebootChangesNeedNotMatch) {
  const auto differ = [](const char* a, const char* b) { return environment_differences(a, b, {"onednn"}); };
  EXPECT_THAT(differ("{}", "{}"), IsEmpty());
  const auto all = differ(R"({"machine":{"cpu":"X","kernel":"6.1"},"versions":{"onednn":"2.6"},"probe":{"a":1}})",
                          R"({"machine":{"cpu":"Y","kernel":"6.2"},"versions":{"onednn":"2.7"},"device":"cpu"})");
  EXPECT_EQ(all, (std::vector<Difference>{{"device", "", "cpu", true},
                                          {"machine.cpu", "X", "Y", true},
                                          {"machine.kernel", "6.1", "6.2", false},
                                          {"versions.onednn", "2.6", "2.7", false}}));
}

}  // namespace
}  // namespace lockstep::snapshot
