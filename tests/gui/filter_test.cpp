#include "gui/core/filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/contract/failure.h"
#include "results/report/tables.h"
#include "results/report/values.h"

namespace lockstep::gui {
namespace {

report::Table table() {
  report::Table out;
  out.columns = {report::name_column("system", "system"), report::name_column("strategy", "strategy"),
                 report::count_column("ranks", "ranks"), report::count_column("step_s", "step")};
  const auto add = [&](const char* system, const char* strategy, int64_t ranks, report::Value step) {
    out.rows.push_back({std::string(system) + " " + strategy,
                        {report::text_value(system), report::text_value(strategy), report::count_value(ranks), step}});
  };
  add("reference", "serial", 1, report::number_value(0.02));
  add("reference", "dp2", 2, report::number_value(0.01));
  add("pytorch", "dp2/zero1", 2, report::missing_value("failed"));
  return out;
}

std::vector<std::string> left(const std::string& filter) {
  const TableRows rows(table());
  std::vector<std::string> out;
  for (const size_t row : matching(parse_row_filter(filter), rows)) out.push_back(rows.key(row));
  return out;
}

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RowFilter, WordsMatchAnyText) {
  EXPECT_THAT(left("DP2"), ElementsAre("reference dp2", "pytorch dp2/zero1"));
  EXPECT_THAT(left("dp2 reference"), ElementsAre("reference dp2"));
  EXPECT_THAT(left("-dp2"), ElementsAre("reference serial"));
  EXPECT_THAT(left(""), ElementsAre("reference serial", "reference dp2", "pytorch dp2/zero1"));
}

TEST(RowFilter, ColumnsMatchByTextOrExactly) {
  EXPECT_THAT(left("strategy:dp2"), ElementsAre("reference dp2", "pytorch dp2/zero1"));
  EXPECT_THAT(left("strategy=dp2"), ElementsAre("reference dp2"));
  EXPECT_THAT(left("strategy:dp?/*"), ElementsAre("pytorch dp2/zero1"));
  EXPECT_THAT(left("ranks=2 -system:py*"), ElementsAre("reference dp2"));
}

TEST(RowFilter, NumbersAreInTheRawUnitAndMissingOnesNeverMatch) {
  EXPECT_THAT(left("step_s<0.015"), ElementsAre("reference dp2"));
  EXPECT_THAT(left("step_s>=0.01"), ElementsAre("reference serial", "reference dp2"));
  EXPECT_THAT(left("ranks>2"), IsEmpty());
}

TEST(RowFilter, TermsAreWrittenSoThatTheyReadBack) {
  const auto only = [](const std::string& term) { return parse_row_filter(term).terms.at(0); };
  for (const char* value : {"dp2", "dp2/zero1 on mpi", "a=b", "<x>", "", "gpt:tiny"}) {
    if (*value == 0) continue;
    const RowFilter::Term term = only(term_text("strategy", "=", value, true));
    EXPECT_EQ(term.key, "strategy");
    EXPECT_EQ(term.value, value);
    EXPECT_TRUE(term.negated);
    EXPECT_EQ(term.test, RowFilter::Test::equals);
  }
  EXPECT_EQ(only(term_text("step_s", "<=", "0.01")).number, 0.01);
  EXPECT_EQ(term_text("error", "=", "a \"b\""), "error:\"a ?b?\"");
  EXPECT_EQ(with_term("", "a:b"), "a:b");
  EXPECT_EQ(with_term("x a:b", "a:b"), "x a:b");
  EXPECT_EQ(with_term("x", "a:b"), "x a:b");
}

TEST(RowFilter, WhatIsWrongIsSaidWithItsPlace) {
  const std::pair<const char*, const char*> cases[] = {{"ranks>=two", "a number"},
                                                       {"a \"b", "column 3"},
                                                       {"system:", "a value after the operator"},
                                                       {"nothing:1", "the columns are: system, strategy"}};
  for (const auto& [filter, words] : cases) {
    try {
      left(filter);
      ADD_FAILURE() << filter;
    } catch (const Failure& failure) {
      EXPECT_THAT(failure.what(), testing::HasSubstr(words)) << filter;
    }
  }
}

TEST(RowFilter, CellsAreAskedOnlyForWhatTheyHave) {
  store::CellRow cell;
  cell.text = "w:tiny pytorch dp2 on gloo", cell.workload = "w:tiny", cell.system = "pytorch", cell.strategy = "dp2";
  cell.fabric = "gloo", cell.ranks = 2;
  EXPECT_TRUE(matches(parse_row_filter("preset:tiny ranks>=2 gloo step_s<1"), cell));
  EXPECT_FALSE(matches(parse_row_filter("-fabric:gloo"), cell));
  EXPECT_FALSE(matches(parse_row_filter("ranks<2"), cell));
}

}  // namespace
}  // namespace lockstep::gui
