#include <gmock/gmock.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "adapters/contract/failure.h"
#include "harness/suite/cells.h"
#include "harness/suite/check.h"
#include "harness/suite/costs_file.h"
#include "harness/suite/interleave.h"
#include "harness/suite/layout_file.h"
#include "harness/suite/suite.h"
#include "harness/suite/suite_text.h"
#include "reference_trainer/graph/build.h"

namespace lockstep::suite {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path kHome = LOCKSTEP_SOURCE_DIR;

Catalogue catalogue() { return {kHome / "workloads", contract::read_manifests(kHome / "adapters")}; }

std::vector<std::string> texts(const std::vector<PlannedCell>& cells) {
  std::vector<std::string> out;
  for (const PlannedCell& cell : cells) out.push_back(cell.text + (cell.refused ? " !" + cell.refused->kind : ""));
  return out;
}

std::string refusal(const std::string& text) {
  try {
    parse_suite(text, "s.json");
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.kind(), "usage");
    return failure.what();
  }
  return "accepted";
}

constexpr const char* kSuite = R"({ "suite": "two", "title": "T",
  "workloads": ["mlp-fashion:micro,data=synthetic", "gpt-austen:micro,data=synthetic"],  // a comment
  "cells": [ { "systems": ["reference", "fake"], "strategies": ["serial"] },
             { "systems": ["fake"], "strategies": ["dp{n}"], "n": [1, 2, 3], "fabrics": ["threads", "gloo"] },
             { "systems": ["reference"], "strategies": ["dp2/priority:1MB"], "fabrics": ["threads"] },
             { "systems": ["reference"], "strategies": ["dp2"], "fabrics": ["nccl"] } ],
  "exclude": ["system:fake workload:gpt*"], "launches": 3, "threads": 1, "warmup": 4,
  "gate": { "time": {"margin": "3%", "floor": "50us"}, "peak_memory": {"margin": "2%", "floor": "4MiB"} } })";

TEST(Suite, ExpandsProductsInOrderEachCellOnceWithReasons) {
  Catalogue known = catalogue();
  EXPECT_THAT(
      texts(expand(parse_suite(kSuite, "s.json"), known)),
      ElementsAre(
          "mlp-fashion:micro,data=synthetic reference serial", "mlp-fashion:micro,data=synthetic fake serial",
          "mlp-fashion:micro,data=synthetic fake dp2 on threads", "mlp-fashion:micro,data=synthetic fake dp2 on gloo",
          "mlp-fashion:micro,data=synthetic fake dp3 on threads", "mlp-fashion:micro,data=synthetic fake dp3 on gloo",
          "mlp-fashion:micro,data=synthetic reference dp2/priority:1MB on threads !unsupported",
          "mlp-fashion:micro,data=synthetic reference dp2 on nccl !unsupported",
          "gpt-austen:micro,data=synthetic reference serial",
          "gpt-austen:micro,data=synthetic reference dp2/priority:1MB on threads !unsupported",
          "gpt-austen:micro,data=synthetic reference dp2 on nccl !unsupported"));
}

TEST(Suite, RefusesBeforeALaunchWhatCannotBePlanned) {
  Catalogue known = catalogue();
  const auto reason = [&](const char* workload, const char* strategy) {
    const auto cell = known.cell(workload, "reference", strategy, "threads");
    return cell.refused ? cell.refused->kind + ": " + cell.refused->message : "runs";
  };
  EXPECT_EQ(reason("gpt-austen:micro,clip=none", "pp2/1f1b:m=4"), "runs");
  EXPECT_THAT(reason("gpt-austen:micro,clip=none", "pp2/pipedream:m=4,weights=stash"),
              AllOf(HasSubstr("unsupported: "), HasSubstr("parameter embed.table has 2 owners along the pipeline")));
  EXPECT_THAT(reason("gpt-austen:micro", "tp3"), AllOf(HasSubstr("unsupported: "), HasSubstr("3")));
  EXPECT_THAT(reason("mlp-digits:micro", "dp2.tp2/layout:tp.hidden-out.linear.fc9"),
              HasSubstr("this workload has no layer \"fc9\"; the nearest is \"fc1\""));
}

TEST(Suite, RecipesAreAnAxis) {
  Suite suite = parse_suite(kSuite, "s.json");
  suite.workloads = {"mlp-fashion:micro"};
  suite.entries.resize(1);
  suite.recipes = {{}, {"lr=0.5"}, {"lr=0.5", "batch=24"}};
  Catalogue known = catalogue();
  EXPECT_THAT(texts(expand(suite, known)),
              ElementsAre("mlp-fashion:micro reference serial", "mlp-fashion:micro fake serial",
                          "mlp-fashion:micro,lr=0.5 reference serial", "mlp-fashion:micro,lr=0.5 fake serial",
                          "mlp-fashion:micro,lr=0.5,batch=24 reference serial",
                          "mlp-fashion:micro,lr=0.5,batch=24 fake serial"));
}

TEST(Suite, TextReadsBackToTheSameSuite) {
  const std::string text = suite_text(parse_suite(kSuite, "s.json"));
  const Suite again = parse_suite(text, "again");
  EXPECT_EQ(suite_text(again), text);
  EXPECT_EQ(again.gate.at("time").floor, 50'000);
  EXPECT_EQ(again.gate.at("peak_memory").floor, 4 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(again.gate.at("time").margin, 0.03);
}

TEST(Suite, RefusalsNameFilePlaceAndTheNearestKey) {
  EXPECT_THAT(refusal(R"({"suite":"a","workloads":["x"],"cels":[]})"), HasSubstr("cells"));
  EXPECT_THAT(refusal(R"({"suite":"a","workloads":["x"],"cells":[{"systems":["fake"],"strategies":["dp{n}"]}]})"),
              HasSubstr("$.cells[0]"));
  EXPECT_THAT(refusal(R"({"suite":"A b","workloads":["x"],"cells":[]})"), HasSubstr("s.json"));
  EXPECT_THAT(refusal(R"({"suite":"a","workloads":[],"cells":[]})"), HasSubstr("workloads"));
  EXPECT_THAT(refusal(R"({"suite":"a","workloads":["x"],"cells":[{"systems":["f"],"strategies":["serial"]}],
                          "gate":{"time":{"margin":"3"}}})"),
              HasSubstr("$.gate.time"));
  EXPECT_THAT(refusal("{\n  \"suite\": \"a\",\n}"), HasSubstr("s.json: line 3, column 1: is not JSON: syntax error"));
  EXPECT_THAT(refusal(R"({"suite":"a","suite":"b"})"), HasSubstr("suite: this key stands twice"));
  EXPECT_THAT(
      refusal(R"({"suite":"a","workloads":["x"],"cells":[{"systems":["f"],"strategies":["dp2"]}],"base":"dp2"})"),
      HasSubstr("$.base: \"dp2\": efficiency is against the serial cell"));
}

TEST(Suite, AFilterThatLeavesNoCellIsRefused) {
  Catalogue known = catalogue();
  std::vector<PlannedCell> cells{known.cell("mlp-fashion:micro", "fake", "dp2", "")};
  keep_matching(cells, "ranks:2");
  EXPECT_EQ(cells.size(), 1U);
  try {
    keep_matching(cells, "ranks:3");
    FAIL() << "accepted";
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("--filter: ranks:3: no cell is left"));
  }
}

TEST(Suite, UnknownSystemsAndOptionsNameTheNearest) {
  Catalogue known = catalogue();
  try {
    known.cell("mlp-fashion:micro", "pytroch", "serial", "");
    FAIL() << "accepted";
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("pytorch"));
  }
  try {
    known.cell("mlp-fashion:micro", "fake:step_ms=3", "serial", "");
    FAIL() << "accepted";
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("step_us"));
  }
}

TEST(Suite, EveryFileOfTheSuitesFolderExpands) {
  Catalogue known = catalogue();
  for (const Listed& listed : list(kHome / "workloads" / "suites")) {
    EXPECT_FALSE(expand(find_suite(listed.id, kHome / "workloads" / "suites"), known).empty()) << listed.id;
  }
}

class LayoutFile : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// The strategy's text when mine.json holds these rules.
  std::string with(const std::string& rules, const std::string& strategy = "dp2/layout:mine.json") {
    std::ofstream(folder_ / "mine.json") << R"({ "layout": "mine", "rules": [ )" << rules << " ] }";
    try {
      return text::print(with_layout_file(text::parse_strategy(strategy), folder_));
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.kind(), "usage");
      return failure.what();
    }
  }

  const std::filesystem::path folder_ = std::filesystem::temp_directory_path() / fmt::format("layouts-{}", ::getpid());
};

/// What a file says stands in the strategy, and with it in the record: two files of one name are two strategies.
TEST_F(LayoutFile, StandsInTheStrategyWithItsRules) {
  const std::string samples = R"(, { "axis": "dp", "loop": "batch", "else": true })";
  EXPECT_EQ(with(R"({ "axis": "dp", "loop": "hidden", "place": "out", "op": "linear", "layer": "fc%" })" + samples),
            "dp2/layout:dp.hidden-out.linear.fc%,dp.batch-else");
  EXPECT_EQ(with(R"({ "axis": "dp", "loop": "whole", "op": "linear_grad_weight" })" + samples),
            "dp2/layout:dp.whole.linear_grad_weight,dp.batch-else");
  EXPECT_EQ(with(R"({ "axis": "tp", "loop": "chan_in", "place": "in", "fits": true, "layer": "conv2" })",
                 "dp2.tp2/layout:mine.json/accum:m=2@ring"),
            "dp2.tp2/layout:tp.chan_in-in-fits.any.conv2/accum:m=2@ring");
  EXPECT_EQ(with("", "dp2/layout:one_weird_trick"), "dp2/layout:one_weird_trick");
}

TEST_F(LayoutFile, RefusalsNameFilePlaceValueRuleAndRemedy) {
  const std::string file = (folder_ / "mine.json").string();
  EXPECT_EQ(with(""), file + ": $.rules: []: a layout has at least one rule; leave the layout out instead");
  EXPECT_EQ(with(R"({ "loop": "batch" })"),
            file + R"(: $.rules[0]: {"loop":"batch"}: 'axis' is missing; add the key 'axis')");
  EXPECT_THAT(with(R"({ "axis": "dp", "loop": "batch" }, { "axis": "dp", "loop": "hiden" })"),
              ::testing::AllOf(HasSubstr("mine.json: $.rules[1]: "), HasSubstr("the nearest is \"hidden\"")));
  EXPECT_THAT(with(R"({ "axis": "dp", "loop": "batch", "layers": "fc1" })"), HasSubstr("'layers' is no known key"));
  EXPECT_THAT(with(R"({ "axis": "dp", "loop": "batch", "else": "yes" })"), HasSubstr("$.rules[0].else: \"yes\""));
  EXPECT_THAT(with(R"({ "axis": "dp", "loop": "batch", "layer": "fc*" })"), HasSubstr("% where any end will do"));
  EXPECT_THAT(with("", "dp2/layout:other.json"), HasSubstr("other.json: cannot be opened"));
}

class CostsFile : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// The strategy's text when costs.json holds this.
  std::string with(const std::string& text, const std::string& strategy = "pp2/stages:costs.json/1f1b:m=2") {
    std::ofstream(folder_ / "costs.json") << text;
    try {
      return text::print(with_chosen_cut(text::parse_strategy(strategy), *catalogue().workload(kModel), folder_));
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.kind(), "usage");
      return failure.what();
    }
  }

  static constexpr const char* kModel = "mlp-fashion:micro,data=synthetic,lr=0.5";
  const std::filesystem::path folder_ = std::filesystem::temp_directory_path() / fmt::format("costs-{}", ::getpid());
};

std::string costs_of(const std::string& ops, const std::string& workload = "mlp-fashion:micro") {
  return fmt::format(
      R"({{ "format": "lockstep.costs", "version": 1, "workload": "{}", "byte_ns": 0, "ops": {{ {} }} }})", workload,
      ops);
}

/// Every op of the model costs 1 but one.
std::string all_but(const std::string& slow) {
  std::string ops;
  const auto model = catalogue().workload("mlp-fashion:micro,data=synthetic");
  for (const graph::Op& op : graph::build(model->json()).ops)
    ops += fmt::format(R"({}"{}": {})", ops.empty() ? "" : ", ", op.name, op.name == slow ? 100 : 1);
  return ops;
}

/// The cut that the costs lead to stands in the strategy, and with it in the record.
TEST_F(CostsFile, StandsInTheStrategyAsItsCut) {
  EXPECT_EQ(with(costs_of(all_but("fc1"))), "pp2/stages:fc2/1f1b:m=2");
  EXPECT_EQ(with(costs_of(all_but("fc3"))), "pp2/stages:fc3/1f1b:m=2");
  EXPECT_EQ(with(costs_of(all_but("fc3")), "pp2/stages:fc2/1f1b:m=2"), "pp2/stages:fc2/1f1b:m=2");
}

TEST_F(CostsFile, RefusalsNameFileKeyValueRuleAndRemedy) {
  const std::string file = (folder_ / "costs.json").string();
  EXPECT_EQ(with(costs_of(R"("fc1": -1)")),
            file + ": $.ops.fc1: -1: a cost is 0 or more nanoseconds of a sample; write 0 for what takes no time");
  EXPECT_THAT(with(costs_of(R"("fc1": 1)")), HasSubstr("it has no costs of "));
  EXPECT_THAT(
      with(costs_of(R"("fc1": 1)", "cnn-fashion:micro")),
      HasSubstr("costs.json: $.workload: \"cnn-fashion:micro\": costs of another model than mlp-fashion:micro's"));
  EXPECT_THAT(with(R"({ "format": "lockstep.costs", "version": 1, "workload": "mlp-fashion:micro", "op": {} })"),
              HasSubstr("'op' is no known key"));
  EXPECT_THAT(with("{}", "pp2/stages:other.json/1f1b:m=2"), HasSubstr("other.json: cannot be opened"));
}

/// A limit that no cut keeps is the cell's reason; one that is kept is in its strategy.
TEST(Suite, CellsHaveTheCutThatALimitLeadsTo) {
  Catalogue all = catalogue();
  const auto cell = [&](const char* strategy) {
    return all.cell("mlp-fashion:micro,data=synthetic", "reference", strategy, "");
  };
  const PlannedCell kept = cell("pp2/stages:balanced,fit=1MiB/1f1b:m=2");
  EXPECT_FALSE(kept.refused);
  EXPECT_THAT(kept.strategy, HasSubstr("pp2/stages:fc"));
  EXPECT_THAT(kept.text, HasSubstr(kept.strategy));
  const PlannedCell refused = cell("pp2/stages:balanced,fit=1B/1f1b:m=2");
  ASSERT_TRUE(refused.refused);
  EXPECT_EQ(refused.refused->kind, "unsupported");
  EXPECT_THAT(refused.refused->message, HasSubstr("none keeps each rank within 1B; the least planned peak is fit="));
}

/// Before a process starts: rules that cannot be read, and a mesh without their axis.
TEST(Suite, LayoutsThatCannotBeReadAreRefused) {
  Catalogue all = catalogue();
  const auto why = [&](const char* strategy) {
    const PlannedCell cell = all.cell("cnn-fashion:micro,data=synthetic", "reference", strategy, "");
    return cell.refused ? cell.refused->message : std::string();
  };
  EXPECT_EQ(why("dp2/layout:one_weird_trick"), "");
  EXPECT_THAT(why("dp2/layout:dp.hiden-out"), HasSubstr("the nearest is \"hidden\""));
  EXPECT_THAT(why("tp2/layout:one_weird_trick"), HasSubstr("the mesh tp2 has no axis dp"));
}

TEST(Interleave, EveryBlockHasEachCellOnceAndPairsAreBalanced) {
  const auto order = interleave(7, 6, 42);
  ASSERT_EQ(order.size(), 6U);
  for (const auto& block : order) EXPECT_EQ(std::set<int64_t>(block.begin(), block.end()).size(), 7U);
  for (int64_t a = 0; a < 7; ++a) {
    for (int64_t b = 0; b < 7; ++b) {
      int before = 0;
      for (const auto& block : order) {
        before += std::find(block.begin(), block.end(), a) < std::find(block.begin(), block.end(), b);
      }
      EXPECT_EQ(before, a == b ? 0 : 3) << a << " before " << b;
    }
  }
  EXPECT_EQ(order, interleave(7, 6, 42));
  EXPECT_NE(order, interleave(7, 6, 43));
}

}  // namespace
}  // namespace lockstep::suite
