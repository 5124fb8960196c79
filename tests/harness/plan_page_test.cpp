#include <gmock/gmock.h>

#include <sstream>

#include "tests/harness/lab.h"

/// The pages of `lockstep plan`, in full: they are what people read, and every number in them has a formula.
namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;

TEST(PlanPage, ShowsTheWholeOfAPipelineWithShards) {
  const auto page = Lab().lockstep({"plan", "gpt-austen:desk,batch=32", "pp2.dp2.tp2/1f1b:m=8/zero1"});
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_EQ(page.out, R"page(gpt-austen:desk,batch=32: 842,496 parameters, fp32, AdamW, 2500 steps
pp2.dp2.tp2/1f1b:m=8/zero1: 8 ranks; global batch 32 = 2 dp x 8 microbatches x 2 samples
model FLOPs a step, GEMMs x 3 (attention in full): 23.35 G
stage 0: ranks 0-3: embed (tied), pos, layers 0-1
stage 1: ranks 4-7: layers 2-3, ln, head (tied)
pp {0,4} {1,5} {2,6} {3,7}  dp {0,2} {1,3} {4,6} {5,7}  tp {0,1} {2,3} {4,5} {6,7}
sent per rank and step       calls x bytes               axis  why                  stage 0    stage 1
all_reduce activations       72 x 131,072                tp    layers 64, ends 8   9.437 MB   9.437 MB
send activations, gradients  8 x 131,072                 pp    1f1b                1.049 MB   1.049 MB
send tied gradients          1 x 65,536                  pp    owners             65.536 kB  65.536 kB
reduce_scatter gradients     1 x 927,236 or 862,724      dp    zero1               0.464 MB   0.431 MB
all_gather parameters        1 x 927,236 or 862,724      dp    zero1               0.464 MB   0.431 MB
all_reduce cross-entropy     8 x 1,024 + 8 x 3,072       tp    2 a microbatch             -  32.768 kB
total                        without loss, norms: 742 B                           11.479 MB  11.447 MB
schedule 1f1b: F 1 unit, B 2 units, 27 units a step; F3 = forward of microbatch 3, .. = idle
stage 0  F0 F1 .. .. B0 -- F2 B1 -- F3 B2 -- F4 B3 -- F5 B4 -- F6 B5 -- F7 B6 -- .. B7 --
stage 1  .. F0 B0 -- F1 B1 -- F2 B2 -- F3 B3 -- F4 B4 -- F5 B5 -- F6 B6 -- F7 B7 -- .. ..
bubble (p-1)/(m+p-1) = 11.1 % of the step (12.5 % of ideal) if stages are equal;
       13.4 % with the FLOPs of these
peak MiB  parameters  gradients  optimizer  activations (in flight)  comm  planned
stage 0         0.88       1.77       0.88                 6.77 (2)  0.25    10.55  max
stage 1         0.82       1.65       0.82                 3.88 (1)  0.25     7.42
step time: not predicted, this version does not calibrate machines. All checks passed
)page");
}

TEST(PlanPage, ShowsWhatSomeRanksLack) {
  const auto page = Lab().lockstep({"plan", "gpt-austen:micro", "pp2.dp2.tp2/1f1b:m=8/zero1"});
  EXPECT_EQ(page.out, R"page(gpt-austen:micro: 10,944 parameters, fp32, AdamW, 100 steps
pp2.dp2.tp2/1f1b:m=8/zero1: 8 ranks; global batch 12 = 2 dp x 8 microbatches x 0 or 1 samples
model FLOPs a step, GEMMs x 3 (attention in full): 0.01298 G
stage 0: ranks 0-3: embed (tied), pos, layer 0, part of layer 1
stage 1: ranks 4-7: part of layer 1, ln, head (tied)
pp {0,4} {1,5} {2,6} {3,7}  dp {0,2} {1,3} {4,6} {5,7}  tp {0,1} {2,3} {4,5} {6,7}
sent per rank and step       calls x bytes               axis  why               stage 0    stage 1
all_reduce activations       42 or 18 x 1,024            tp    layers, ends    43.008 kB  18.432 kB
send activations, gradients  6 x 1,024                   pp    1f1b             6.144 kB   6.144 kB
send tied gradients          1 x 8,192                   pp    owners           8.192 kB   8.192 kB
reduce_scatter gradients     1 x 18,372 or 12,740        dp    zero1            9.184 kB   6.368 kB
all_gather parameters        1 x 18,372 or 12,740        dp    zero1            9.188 kB   6.372 kB
all_reduce cross-entropy     6 x 64 + 6 x 192            tp    2 a microbatch          -   1.536 kB
total                        without loss, norms: 406 B                        75.716 kB  47.044 kB
schedule 1f1b: F 1 unit, B 2 units, 27 units a step; F3 = forward of microbatch 3, .. = idle
stage 0  F0 F1 .. .. B0 -- F2 B1 -- F3 B2 -- F4 B3 -- F5 B4 -- F6 B5 -- F7 B6 -- .. B7 --
stage 1  .. F0 B0 -- F1 B1 -- F2 B2 -- F3 B3 -- F4 B4 -- F5 B5 -- F6 B6 -- F7 B7 -- .. ..
bubble (p-1)/(m+p-1) = 11.1 % of the step (12.5 % of ideal) if stages are equal;
       17.0 % with the FLOPs of these
peak MiB  parameters  gradients  optimizer  activations (in flight)  comm  planned
stage 0         0.02       0.04       0.02                 0.04 (2)  0.02     0.12  max
stage 1         0.01       0.02       0.01                 0.02 (1)  0.02     0.09
step time: not predicted, this version does not calibrate machines. All checks passed
)page");
}

TEST(PlanPage, SaysMoreWhenAsked) {
  const auto page = Lab().lockstep({"plan", "gpt-austen:micro", "tp2", "-v"});
  EXPECT_THAT(page.out, HasSubstr("  b0.fc1: [batch, seq 16, ffn 64/tp]\n"));
  EXPECT_THAT(page.out, HasSubstr("  b0.fc2: add b0.out: all_reduce over tp\n"));
}

TEST(PlanPage, JsonHasEachPlace) {
  const auto page = Lab().lockstep({"plan", "gpt-austen:micro", "pp2.dp2/1f1b:m=4", "--json"});
  for (const char* part : {R"("format": "lockstep.plan")", R"("version": 2)", R"("contents": "embed (tied), pos)",
                           R"x("bubble_formula": "(p-1)/(m+p-1)")x", R"("bubble": 0.2)"})
    EXPECT_THAT(page.out, HasSubstr(part));
}

TEST(PlanSearch, ListsWhatFitsAndWhyTheOthersDoNot) {
  const auto page = Lab().lockstep({"plan", "gpt-austen:micro", "--ranks", "8", "--fit", "80KiB"});
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_THAT(page.out, HasSubstr("strategies are legal and fit within 80KiB a rank\n"));
  EXPECT_THAT(page.out, HasSubstr("dp4.tp2/sp/accum:m=3/zero3"));
  EXPECT_THAT(page.out, HasSubstr(" % more than there is\n"));
  EXPECT_THAT(page.out, HasSubstr("  tp8  unsupported: b0.qkv.weight: its heads 2 cannot be split 8 ways (tp8); tp2 is "
                                  "the most"));
  const auto json = Lab().lockstep({"plan", "gpt-austen:micro", "--ranks", "2", "--json"});
  EXPECT_THAT(json.out, HasSubstr(R"("format": "lockstep.plan_search")"));
}

/// A terminal has 100 columns.
TEST(PlanSearch, NoLineIsWiderThanAPage) {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"plan", "resnet20:micro", "--ranks", "8", "-v", "--fit", "1MiB"}, {"strategies"}}) {
    std::istringstream lines(Lab().lockstep(command).out);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      EXPECT_LE(line.size(), 100U) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
    EXPECT_GT(count, 20);
  }
}

/// What a term itself has wrong is said before what it does not go with: the recipe clips.
TEST(PlanPage, SaysWhatATermHasWrongFirst) {
  const auto page = Lab().lockstep({"plan", "gpt-austen:micro", "pp2/pipedream:weights=foo"});
  EXPECT_EQ(page.code, 2);
  EXPECT_THAT(page.err, HasSubstr("weights must be one of stash, vertical, 2bw, predict, found foo"));
  EXPECT_THAT(Lab().lockstep({"plan", "gpt-austen:micro", "pp2/pipedream:weights=stash"}).err,
              HasSubstr("clipping takes the norm"));
}

TEST(PlanSearch, RefusesHalfAQuestion) {
  const auto without = Lab().lockstep({"plan", "gpt-austen:micro", "--fit", "1GiB"});
  EXPECT_EQ(without.code, 2);
  EXPECT_THAT(without.err, HasSubstr("--fit: 1GiB: needs the number of ranks; add --ranks 8"));
  EXPECT_EQ(Lab().lockstep({"plan", "gpt-austen:micro", "dp2", "--ranks", "2"}).code, 2);
}

}  // namespace
}  // namespace lockstep::testing
