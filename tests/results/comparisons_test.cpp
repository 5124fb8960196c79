#include "results/snapshot/comparisons.h"

#include <gtest/gtest.h>

#include "tests/results/campaign_fixture.h"

namespace lockstep::snapshot {
namespace {

using store::testing::cell;
using Compared = Comparison::Kind;

struct Row {
  Compared kind;
  const char *a, *b, *word;
  double ratio;
};

TEST(Comparisons, SystemsRanksAndFabrics) {
  testing::Campaign c;
  const store::CellRow serial = cell("mlp:tiny", "reference", "serial"), torch = cell("mlp:tiny", "pytorch", "serial"),
                       threads = cell("mlp:tiny", "reference", "dp2", "threads", 2),
                       mpi = cell("mlp:tiny", "reference", "dp2", "mpi", 2),
                       null = cell("mlp:tiny", "reference", "dp2", "null", 2);
  for (int64_t block = 1; block <= 6; ++block) {
    c.finished(serial, block, 10);
    c.finished(threads, block, 8);
    c.finished(mpi, block, 12.5);
    c.finished(null, block, 6);
    c.finished(torch, block, 40);
  }
  const std::vector<Comparison> all = comparisons(c.snapshot());
  const Row expected[] = {{Compared::systems, "reference serial", "pytorch serial", "faster", 4},
                          {Compared::ranks, "reference dp2 on threads", "reference serial", "gains", 1.25},
                          {Compared::fabrics, "reference dp2 on mpi", "reference dp2 on threads", "slower", 0.64},
                          {Compared::ranks, "reference dp2 on mpi", "reference serial", "loses", 0.8}};
  ASSERT_EQ(all.size(), std::size(expected));
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].kind, expected[i].kind) << i;
    EXPECT_EQ(all[i].a.text, std::string("mlp:tiny ") + expected[i].a);
    EXPECT_EQ(all[i].b.text, std::string("mlp:tiny ") + expected[i].b);
    EXPECT_EQ(all[i].word, expected[i].word) << i;
    EXPECT_NEAR(all[i].contrast.ratio.value, expected[i].ratio, 1e-9);
    EXPECT_TRUE(all[i].contrast.paired);
    EXPECT_EQ(all[i].contrast.p, 1.0 / 64);
    EXPECT_EQ(all[i].contrast.q, 1.0 / 64);  // all four alike
  }
}

TEST(Comparisons, VariantBAgainstAInWhateverOrderTheyFirstRan) {
  testing::Campaign c;
  const store::CellRow a = cell("exec:train", "exec", "A:X=1"), b = cell("exec:train", "exec", "B:X=2");
  for (int64_t block = 1; block <= 6; ++block) {
    c.finished(b, block, 11.5);
    c.finished(a, block, 10);
  }
  const std::vector<Comparison> all = comparisons(c.snapshot());
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].kind, Compared::variants);
  EXPECT_EQ(all[0].a.strategy, "B:X=2");
  EXPECT_EQ(all[0].b.strategy, "A:X=1");
  EXPECT_EQ(all[0].word, "slower");
}

TEST(Comparisons, CellsWithoutLaunchesAreLeftOut) {
  testing::Campaign c;
  c.finished(cell("mlp:tiny", "reference", "serial"), 1, 10);
  store::LaunchRecord failed = c.record(cell("mlp:tiny", "reference", "dp2", "mpi", 2), 1, 10);
  failed.launch.status = store::LaunchStatus::failed;
  c.store.import_launch(failed);
  EXPECT_TRUE(comparisons(c.snapshot()).empty());
}

}  // namespace
}  // namespace lockstep::snapshot
