#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "reference_trainer/plan/terms/check.h"
#include "reference_trainer/plan/terms/recipe.h"
#include "reference_trainer/plan/terms/terms_of.h"

namespace lockstep::terms {
namespace {

TEST(Terms, EachRowParsesPrintsAndIsRunOrRefusedWithItsReason) {
  for (const Row& row : table()) {
    const text::Strategy strategy = example(row);
    const std::string text = text::print(strategy);
    EXPECT_EQ(text::parse_strategy(text), strategy) << text;
    const std::vector<Refusal> refusals = check(strategy);
    if (row.supported()) {
      EXPECT_TRUE(refusals.empty()) << text << ": " << refusals.front().reason;
    } else {
      const bool said = std::any_of(refusals.begin(), refusals.end(), [&](const Refusal& r) {
        return r.kind == "unsupported" && r.reason.find(row.because) != std::string::npos;
      });
      EXPECT_TRUE(said) << text;
      for (const Refusal& r : refusals) EXPECT_EQ(r.kind, "unsupported") << text << ": " << r.reason;
    }
  }
}

TEST(Terms, NamesAreUniqueAfterEachMark) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Row& row : table()) EXPECT_TRUE(seen.insert({mark(row.kind), row.name}).second) << row.name;
}

TEST(Terms, EachRowIsEitherImplementedSomewhereOrSaysWhyNot) {
  for (const Row& row : table()) {
    EXPECT_NE(row.where.empty(), row.because.empty()) << row.name;
    EXPECT_FALSE(row.meaning.empty()) << row.name;
    if (!row.where.empty()) {
      EXPECT_TRUE(std::filesystem::exists(std::string(LOCKSTEP_SOURCE_DIR "/") + std::string(row.where))) << row.name;
    }
  }
}

TEST(Terms, ConflictsAreMutualAndHaveAReason) {
  for (const Row& row : table()) {
    if (row.conflicts.empty()) continue;
    EXPECT_FALSE(row.conflict_why.empty()) << row.name;
    for (const Row& other : table()) {
      const bool names_other =
          ("," + std::string(row.conflicts) + ",").find("," + std::string(other.name) + ",") != std::string::npos;
      const bool named_by =
          ("," + std::string(other.conflicts) + ",").find("," + std::string(row.name) + ",") != std::string::npos;
      if (mark(row.kind) == mark(other.kind)) {
        EXPECT_EQ(names_other, named_by) << row.name << " " << other.name;
      }
    }
  }
}

struct Case {
  const char* text;
  const char* reason;
  const char* nearest;
};

TEST(Terms, RefusalsNameNumbersRuleAndTheNearestStrategy) {
  for (const auto& [text, reason, nearest] : {
           Case{"dp2/accum:m=0", "m must be a whole number from 1 to 65536, found 0", "dp2"},
           Case{"dp2/accum:m=2.5", "m must be a whole number from 1 to 65536, found 2.5", "dp2"},
           Case{"dp2/accum", "accum lacks m: a whole number from 1 to 65536", "dp2"},
           Case{"dp2/accum:n=2", "accum does not take n=2; it takes m=1..65536", "dp2"},
           Case{"dp2/bucket:25", "its value must be a size from 1B to 64GiB in units such as kB or KiB, found 25",
                "dp2"},
           Case{"dp2/bucket:0B", "its value must be a size from 1B to 64GiB in units such as kB or KiB, found 0B",
                "dp2"},
           Case{"serial/bucket:1MB", "bucket needs an axis dp of at least 2 ranks; the mesh has 1 rank", "serial"},
           Case{"serial@ring", "ring needs an axis dp of at least 2 ranks; the mesh has 1 rank", "serial"},
           Case{"dp2@ring:k=2", "ring does not take k=2; it takes no argument", "dp2"},
           Case{"dp4/accum:m=8/bucket:1MB/priority:1MB@tree",
                "this version lacks communication that crosses the end of a step", "dp4/accum:m=8/bucket:1MB@tree"},
           Case{"dp2/amp", "amp lacks its value: one of bf16, fp16", "dp2"},
           Case{"dp4/overlap/accum:m=2", "bucket:SIZE overlaps already: write that", "dp4/accum:m=2"},
           Case{"dp4/hsdp:group=2,level=4", "level must be a whole number from 1 to 3, found 4",
                "dp4/hsdp:group=2,level=3"},
       }) {
    const std::vector<Refusal> refusals = check(text::parse_strategy(text));
    ASSERT_FALSE(refusals.empty()) << text;
    EXPECT_EQ(refusals.front().reason, reason) << text;
    EXPECT_EQ(refusals.front().nearest, nearest) << text;
  }
}

TEST(Terms, RecipesThatWouldNeedAFlushAreRefusedWithTheNearest) {
  const auto said = [](const char* text, const RecipeTraits& recipe) {
    const auto refusals = check_recipe(text::parse_strategy(text), recipe);
    return refusals.empty() ? std::string() : refusals.front().reason + " -> " + refusals.front().nearest;
  };
  EXPECT_EQ(
      said("pp3.dp2/pipedream:weights=stash", {true, false, false}),
      "clipping takes the norm of one step's gradients on all 3 stages, which without a flush make them at different "
      "times, up to 2 microbatches apart; clip=none lets it run -> pp3.dp2/1f1b:m=3");
  EXPECT_EQ(said("pp2/pipedream", {false, true, true}),
            "LARS and LAMB take norms that this version adds up over all 2 stages, which without a flush update at "
            "different times; optimizer=momentum or adamw lets it run -> pp2/1f1b:m=2");
  EXPECT_EQ(
      said("pp2/pipedream:weights=predict", {}),
      "weights are predicted along the optimizer's velocity, and this optimizer keeps none; optimizer=momentum or "
      "nesterov lets it run -> pp2/pipedream:weights=stash");
  EXPECT_EQ(said("pp2/pipedream:weights=predict", {false, false, true}), "");
  EXPECT_EQ(said("pp2/1f1b:m=2", {true, true, false}), "");
}

TEST(Terms, ASecondOfAKindAndExclusionsAreRefused) {
  const auto said = [](const char* text, const char* reason) {
    const auto refusals = check(text::parse_strategy(text));
    return std::any_of(refusals.begin(), refusals.end(), [&](const Refusal& r) { return r.reason == reason; });
  };
  EXPECT_TRUE(said("dp2/zero1/zero2", "zero2 cannot stand beside zero1: each level includes the ones below it"));
  EXPECT_TRUE(said("dp2+fp16+topk:0.1", "a strategy has one codec, fp16 is there already"));
  EXPECT_TRUE(said("dp2+async+ssp:s=1", "a strategy has one policy, async is there already"));
  EXPECT_TRUE(said("pp2/gpipe:m=2/1f1b:m=2", "a strategy has one schedule, gpipe is there already"));
}

}  // namespace
}  // namespace lockstep::terms
