#include "harness/check/check.h"

#include <gmock/gmock.h>

#include <cmath>

#include "results/report/escape.h"

namespace lockstep::check {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

snapshot::Verdict verdict(const std::string& strategy, int64_t ranks, const std::string& word, double ratio,
                          double p = 0.001) {
  snapshot::Verdict v;
  v.cell_a = v.cell_b = {"w:tiny reference " + strategy, "w:tiny", "reference", strategy, "", ranks, "{}", "{}"};
  v.metric = "time", v.unit = "s", v.word = word;
  if (word == "error" || word == "incomparable" || word == "unsupported") return v.reason = "because", v;
  v.contrast.ratio = {ratio, ratio - 0.01, ratio + 0.01, 0.95, 8, stats::Refusal::none};
  v.contrast.margin = 0.03, v.contrast.p = p;
  v.contrast.side = word == "regressed"    ? stats::Side::above
                    : word == "improved"   ? stats::Side::below
                    : word == "equivalent" ? stats::Side::within
                                           : stats::Side::straddles;
  return v;
}

std::vector<std::string> words(const std::vector<Item>& items) {
  std::vector<std::string> out;
  for (const Item& item : items) out.push_back(item.verdict.word);
  return out;
}

TEST(Decision, WhatMovedIsSuspiciousUntilFreshPairsDecideAlone) {
  const std::vector<snapshot::Verdict> screened{
      verdict("serial", 1, "equivalent", 1), verdict("dp2", 2, "regressed", 1.2), verdict("dp4", 4, "improved", 0.8)};
  EXPECT_THAT(suspects(screened), ElementsAre("w:tiny reference dp2", "w:tiny reference dp4"));
  EXPECT_THAT(suspects({verdict("serial", 1, "inconclusive", 1), verdict("dp2", 2, "regressed", 1.2)}),
              ElementsAre("w:tiny reference dp2", "w:tiny reference serial"));
  EXPECT_THAT(words(decide(screened, {})), ElementsAre("equivalent", "suspicious", "suspicious"));
  const auto items = decide(screened, {verdict("dp2", 2, "regressed", 1.15), verdict("dp4", 4, "equivalent", 1)});
  EXPECT_THAT(words(items), ElementsAre("equivalent", "regressed", "equivalent"));
  EXPECT_FALSE(items[0].confirmed);
  EXPECT_TRUE(items[1].confirmed);
  EXPECT_EQ(items[1].verdict.contrast.ratio.value, 1.15);
  EXPECT_THAT(where_it_regressed(items),
              ElementsAre("w:tiny reference regressed at 2 ranks only: scaling, not the base case; base case (serial) "
                          "equivalent"));
}

TEST(Decision, ARegressionOfTheBaseCaseIsNotOneOfScaling) {
  const auto items = decide({verdict("serial", 1, "regressed", 1.2), verdict("dp2", 2, "regressed", 1.2)},
                            {verdict("serial", 1, "regressed", 1.2), verdict("dp2", 2, "regressed", 1.2)});
  EXPECT_THAT(where_it_regressed(items),
              ElementsAre("w:tiny reference regressed at 1, 2 ranks; base case (serial) regressed"));
}

TEST(Decision, QIsOverWhatWasConfirmedAndTakesBackWeakOnes) {
  const auto weak = verdict("dp2", 2, "regressed", 1.2, 0.04);
  std::vector<snapshot::Verdict> screened{weak, verdict("dp4", 4, "inconclusive", 1.01, 1)};
  for (int i = 0; i < 19; ++i) screened.push_back(verdict("s" + std::to_string(i), 1, "equivalent", 1, 1));
  // Alone, p 0.04 is declared, however many cells the screen found unmoved; beside another confirmed one it is not.
  EXPECT_EQ(decide(screened, {weak})[0].verdict.word, "regressed");
  const auto items = decide(screened, {weak, verdict("dp4", 4, "equivalent", 1, 1)});
  EXPECT_EQ(items[0].verdict.word, "inconclusive");
  EXPECT_NEAR(items[0].verdict.contrast.q, 0.08, 1e-12);
}

TEST(Decision, WhatTheBudgetDidNotAllowIsSuspiciousForThat) {
  const auto items = decide({verdict("dp2", 2, "regressed", 1.2)}, {}, {"w:tiny reference dp2"});
  EXPECT_THAT(items[0].verdict.reason, HasSubstr("over the budget"));
}

TEST(Decision, TheBudgetIsReckonedWithThePairsThatRun) {
  EXPECT_EQ(pairs_of(8, 1), 8);
  EXPECT_EQ(pairs_of(8, 20), 10);  // a p of 2^-10 is the first that is at most 0.05 / 40
  EXPECT_DOUBLE_EQ(seconds_of_pairs(8, 1, 3), 2 * 8 * 3);
  EXPECT_DOUBLE_EQ(seconds_of_pairs(8, 20, 3), 2.0 * 10 * 20 * 3);
}

TEST(Decision, WorkThatWasToBeProvedAndIsNotIsAnError) {
  std::vector<snapshot::Verdict> verdicts{verdict("serial", 1, "equivalent", 1), verdict("dp2", 2, "regressed", 1.2),
                                          verdict("dp4", 4, "equivalent", 1)};
  refuse_unproved(verdicts,
                  {{"w:tiny reference serial", true, "fc1.weight"}, {"w:tiny reference dp2", false, "killed"}}, "new");
  EXPECT_THAT(words(decide(verdicts, {})), ElementsAre("error", "error", "equivalent"));
  EXPECT_EQ(verdicts[0].reason, "new: equal work failed: fc1.weight");
  EXPECT_EQ(verdicts[1].reason, "new: equal work not proved: killed");
  EXPECT_EQ(exit_code(decide(verdicts, {}), false), 3);
}

struct Code {
  std::vector<const char*> words;
  bool strict;
  int code;
};

TEST(Decision, ExitCodesAndTheirPrecedence) {
  const Code cases[] = {{{"equivalent", "improved"}, false, 0},     {{"regressed", "error"}, false, 1},
                        {{"equivalent", "error"}, false, 3},        {{}, false, 3},
                        {{"equivalent", "inconclusive"}, false, 0}, {{"equivalent", "inconclusive"}, true, 4},
                        {{"equivalent", "incomparable"}, true, 4},  {{"inconclusive", "incomparable"}, false, 4},
                        {{"suspicious", "equivalent"}, false, 0},   {{"suspicious", "equivalent"}, true, 4},
                        {{"equivalent", "unsupported"}, true, 0},   {{"unsupported"}, false, 3}};
  for (const Code& one : cases) {
    std::vector<Item> items;
    for (const char* word : one.words) items.push_back({verdict("dp2", 2, word, 1), false});
    EXPECT_EQ(exit_code(items, one.strict), one.code) << ::testing::PrintToString(one.words);
  }
  EXPECT_EQ(exit_code({{verdict("dp2", 2, "suspicious", 1.2), false}}, false), 4);
  EXPECT_EQ(exit_code({{verdict("dp2", 2, "suspicious", 1.2), false}}, false, true), 0);
}

TEST(Formats, JunitNamesAreStableAndWordsMapToItsStates) {
  Result result;
  result.suite = "s<&\"ü日本";
  for (const char* word : {"regressed", "equivalent", "inconclusive", "error", "incomparable", "improved"}) {
    result.items.push_back({verdict("dp2", 2, word, 1.2), true});
  }
  const std::string xml = to_junit(result);
  EXPECT_THAT(
      xml,
      HasSubstr(R"(<testsuite name="lockstep.s&lt;&amp;&quot;ü日本" tests="6" failures="1" errors="1" skipped="2">)"));
  EXPECT_THAT(xml, HasSubstr(R"(name="w:tiny reference dp2 time"><failure message="regressed: new/old 1.200)"));
  EXPECT_THAT(xml, HasSubstr(R"(<error message="error: because"/>)"));
  EXPECT_THAT(annotations(result), HasSubstr("::error title=w%3Atiny reference dp2::time regressed: new/old 1.200"));
}

TEST(Formats, WhatTookNoPartIsSaidInEachOfThem) {
  Result result;
  result.screen.a.selector = "git:aaaa";
  result.screen.unmeasured = {{"w:tiny exec A", "peak_memory", "nobody measured it"}};
  result.screen.left_out = {{"w:tiny reference dp2", true, 6, "threads a rank: 2, newest 1"}};
  for (const std::string& text : {to_text(result, 3), to_markdown(result, 3)}) {
    EXPECT_THAT(text, HasSubstr("peak memory: nobody measured it, left out of 1 cell"));
    EXPECT_THAT(text,
                HasSubstr("left out: 6 launches of git:aaaa, w:tiny reference dp2 (threads a rank: 2, newest 1)"));
  }
  EXPECT_THAT(to_json(result, 3), HasSubstr("\"reason\": \"threads a rank: 2, newest 1\""));
}

TEST(Escape, NothingBreaksOutOfItsPlace) {
  EXPECT_EQ(report::xml("a<b>\"&\n\x01"), "a&lt;b&gt;&quot;&amp;&#10;\xEF\xBF\xBD");
  EXPECT_EQ(report::markdown_text("a|b\n<i>*_`[]"), "a\\|b &lt;i&gt;\\*\\_\\`\\[\\]");
  EXPECT_EQ(report::workflow_text("50 %\nx"), "50 %25%0Ax");
  EXPECT_EQ(report::workflow_property("a:b,c"), "a%3Ab%2Cc");
}

}  // namespace
}  // namespace lockstep::check
