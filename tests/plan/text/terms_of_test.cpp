#include "reference_trainer/plan/terms/terms_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace lockstep::terms {
namespace {

std::vector<std::string> written_of(const char* strategy) {
  std::vector<std::string> out;
  for (const Row* row : rows_of(text::parse_strategy(strategy))) out.push_back(written(*row));
  return out;
}

TEST(TermsOf, AStrategyAreTheRowsOfItsText) {
  EXPECT_THAT(written_of("pp2.dp2/1f1b:m=4/zero1+ef+topk:0.01@ring"),
              testing::ElementsAre("pp", "dp", "/1f1b", "/zero1", "+bsp", "+ef", "+topk", "@ring"));
  EXPECT_THAT(written_of("pp2"), testing::ElementsAre("pp", "/naive"));
  EXPECT_THAT(written_of("serial"), testing::IsEmpty());
}

TEST(TermsOf, EachRowIsWrittenInItsOwnWay) {
  std::set<std::string> all;
  for (const Row& row : table()) {
    EXPECT_TRUE(all.insert(written(row)).second) << written(row);
    EXPECT_EQ(row_written(written(row)), &row);
  }
  EXPECT_EQ(row_written("/no_such_term"), nullptr);
}

TEST(TermsOf, TheExampleOfEachRowHasIt) {
  for (const Row& row : table()) {
    const text::Strategy strategy = example(row);
    const bool silent = written(row) == "+bsp" || written(row) == "@auto";  // defaults are not written
    EXPECT_EQ(testing::Value(rows_of(strategy), testing::Contains(&row)), !silent) << text::print(strategy);
  }
}

TEST(Claims, CoverTermsWithNumbersAndArguments) {
  EXPECT_TRUE(claim_covers("dp{n}", "dp16"));
  EXPECT_FALSE(claim_covers("dp{n}", "dp"));
  EXPECT_FALSE(claim_covers("dp{n}", "dp2x"));
  EXPECT_FALSE(claim_covers("dp{n}", "tp2"));
  EXPECT_TRUE(claim_covers("accum", "accum:m=4"));
  EXPECT_TRUE(claim_covers("accum:m={n}", "accum:m=4"));
  EXPECT_FALSE(claim_covers("accum:m=2", "accum:m=4"));
  EXPECT_THAT(printed(text::parse_strategy("dp4/accum:m=2@ring")), testing::ElementsAre("dp4", "accum:m=2", "@ring"));
}

TEST(Claims, AreAboutARowOfTheTable) {
  const std::pair<const char*, const char*> cases[] = {
      {"dp{n}", "dp"}, {"dp4", "dp"}, {"accum:m={n}", "/accum"}, {"zero1", "/zero1"}, {"@ring", "@ring"}};
  for (const auto& [claim, wanted] : cases) {
    std::vector<std::string> about;
    for (const Row& row : table()) {
      if (is_claimed(row, claim)) about.push_back(written(row));
    }
    EXPECT_THAT(about, testing::ElementsAre(wanted)) << claim;
  }
}

}  // namespace
}  // namespace lockstep::terms
