#include "reference_trainer/plan/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "reference_trainer/plan/describe.h"
#include "tests/plan/workload_graph.h"

namespace lockstep::plan {
namespace {

constexpr Work kWork{12, 4, 2, true};

const Candidate* find_candidate(const Search& found, const std::string& strategy) {
  for (const Candidate& candidate : found.candidates) {
    if (text::print(candidate.strategy) == strategy) return &candidate;
  }
  return nullptr;
}

TEST(Search, TriesEachMeshOnceAndHasTheFiguresOfThePlan) {
  const graph::Graph graph = workload_graph("gpt-austen");
  const Search found = search(graph, 8, kWork, 0);
  std::set<std::string> names;
  for (const Candidate& candidate : found.candidates) {
    EXPECT_TRUE(names.insert(text::print(candidate.strategy)).second) << text::print(candidate.strategy);
    EXPECT_EQ(text::ranks(candidate.strategy), 8);
  }
  for (const char* strategy : {"dp8", "dp8/zero3", "dp4.tp2/sp/zero1", "cp8", "pp4.dp2/1f1b:m=6", "dp2.cp2.tp2"}) {
    const Candidate* candidate = find_candidate(found, strategy);
    ASSERT_NE(candidate, nullptr) << strategy;
    EXPECT_EQ(candidate->kind, "") << candidate->reason;
    const Description d = describe(graph, candidate->strategy, kWork);
    EXPECT_EQ(candidate->peak_bytes, d.peak_bytes());
    EXPECT_EQ(candidate->sent_bytes, d.sent_bytes());
  }
  EXPECT_EQ(found.not_tried, 0);
  EXPECT_EQ(found.idle_axes.size(), 3u) << "a text has no rows and columns, a dense model no experts";
}

/// Microbatches take whole groups of batch norm, and ranks share these with sync_bn alone.
TEST(Search, TriesWhatBatchNormNeeds) {
  const Search found = search(workload_graph("resnet20"), 4, kWork, 0);
  for (const char* strategy :
       {"dp4/sync_bn", "dp2.h2/sync_bn/zero1", "h4", "h4/sync_bn", "pp2.tp2/1f1b:m=3", "pp2.dp2/sync_bn/1f1b:m=3"}) {
    const Candidate* candidate = find_candidate(found, strategy);
    ASSERT_NE(candidate, nullptr) << strategy;
    EXPECT_EQ(candidate->kind, "") << candidate->reason;
  }
}

TEST(Search, SortsByPeakAndSaysWhyTheOthersAreOut) {
  const int64_t limit = 100'000;
  const Search found = search(workload_graph("gpt-austen"), 8, kWork, limit);
  int64_t last = 0;
  std::set<std::string> kinds;
  for (const Candidate& candidate : found.candidates) {
    kinds.insert(candidate.kind);
    if (candidate.kind.empty()) {
      EXPECT_GE(candidate.peak_bytes, last);
      EXPECT_LE(candidate.peak_bytes, limit);
      last = candidate.peak_bytes;
    } else {
      EXPECT_FALSE(candidate.reason.empty());
      EXPECT_EQ(candidate.kind == "too_large", candidate.peak_bytes > limit);
    }
  }
  EXPECT_THAT(kinds, testing::ElementsAre("", "too_large", "unsupported"));
  const Candidate* refused = find_candidate(found, "tp8");
  ASSERT_NE(refused, nullptr);
  EXPECT_THAT(refused->reason, testing::HasSubstr("tp2 is the most"));
  EXPECT_EQ(find_candidate(found, "tp8/sp"), nullptr) << "a mesh that is refused alone is not tried with passes";
}

TEST(Search, TriesOtherSchedulesAndRecomputesWhatIsTooLarge) {
  const graph::Graph graph = workload_graph("gpt-austen");
  const Search any = search(graph, 2, kWork, 0);
  for (const char* strategy : {"pp2/1f1b:m=8", "pp2/zb_h1:m=8"}) EXPECT_NE(find_candidate(any, strategy), nullptr);
  EXPECT_EQ(find_candidate(any, "dp2/recompute:full"), nullptr) << "all fit";
  const int64_t plain = find_candidate(any, "dp2")->peak_bytes;
  size_t looked_at = 0;
  const Search tight = search(graph, 2, kWork, plain - 1, [&](size_t n) { looked_at = std::max(looked_at, n); });
  EXPECT_GT(looked_at, 0u);
  EXPECT_EQ(find_candidate(tight, "dp2")->kind, "too_large");
  const Candidate* again = find_candidate(tight, "dp2/recompute:full");
  ASSERT_NE(again, nullptr);
  EXPECT_LT(again->peak_bytes, plain);
}

TEST(Search, RefusesMoreDataParallelRanksThanSamples) {
  const Search found = search(workload_graph("mlp-digits"), 4, {3, 4, 0, false}, 0);
  const Candidate* candidate = find_candidate(found, "dp4");
  ASSERT_NE(candidate, nullptr);
  EXPECT_EQ(candidate->reason,
            "4 data-parallel ranks need a batch of as many samples, it has 3; dp3 is the most, or batch=4");
}

TEST(Search, IsBounded) {
  const Search found = search(workload_graph("gpt-austen"), 512, {512, 4, 2, false}, 1);
  EXPECT_LE(found.candidates.size(), static_cast<size_t>(kMostCandidates));
  EXPECT_GT(found.not_tried, 0);
}

}  // namespace
}  // namespace lockstep::plan
