#include "results/snapshot/selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/results/store_records.h"

namespace lockstep::snapshot {
namespace {

using store::testing::cell;
using store::testing::failure_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Selector, ParsesAndPrintsToItself) {
  for (const std::string text :
       {"@last", "@last~1", "@12", "nightly", "v1-2_x", "git:1a2b3c4", "git:1a2b3c4+", "git:feature/x",
        "git:feature/x/system:pytorch,ranks:2", "@last/status:failed", "@30/ranks:4",
        "@1/workload:gpt-austen,preset:tiny,system:pytorch,strategy:dp{n},fabric:mpi,mode:time",
        "@1/strategy:dp8+ssp:s=3,servers=2,ranks:8", "@1/workload:mlp:tiny,lr=0.05,batch=64"}) {
    EXPECT_EQ(to_text(parse_selector(text)), text);
  }
  EXPECT_EQ(parse_selector("@1/strategy:dp8+ssp:s=3,servers=2,ranks:8").filter.terms.size(), 2u);
  EXPECT_EQ(parse_selector("git:feature/x/system:pytorch").campaign.tag, "feature/x");
  for (const std::string text : {"@14.7", "@last.1", "@last~2.3", "nightly.12"}) {
    EXPECT_EQ(to_text(parse_launch_selector(text)), text);
  }
}

struct Wrong {
  const char *text, *column, *expected;
};

TEST(Selector, ErrorsPointAtTheColumn) {
  constexpr Wrong kWrong[] = {{"@", "column 2", "expected a campaign"},
                              {"@0", "column 2", "expected a campaign"},
                              {"@-3", "column 2", "expected a campaign"},
                              {"@last~x", "column 7", "how many campaigns"},
                              {"Nightly", "column 1", "a tag"},
                              {"", "column 2", "expected a campaign"},
                              {"@1/", "column 1", "key:value"},
                              {"@1/ranks:4,", "column 9", "key:value"},
                              {"@1/ranks:", "column 7", "a value for ranks"},
                              {"@1/rank:4", "column 1", "did you mean ranks?"},
                              {"@1/ranks:4,fabrik:mpi", "column 9", "did you mean fabric?"},
                              {"@1/status:good", "status", "one of planned"},
                              {"@1/mode:good", "mode", "one of time"}};
  for (const Wrong& wrong : kWrong) {
    EXPECT_THAT(failure_of([&] { parse_selector(wrong.text); }),
                AllOf(HasSubstr(wrong.column), HasSubstr(wrong.expected)))
        << wrong.text;
  }
  EXPECT_THAT(failure_of([] { parse_launch_selector("@14"); }), HasSubstr("column 4"));
  EXPECT_THAT(failure_of([] { parse_launch_selector("@14.x"); }), HasSubstr("column 5"));
}

bool holds(const std::string& filter, const store::CellRow& row) { return matches(parse_filter(filter), row); }

TEST(Filter, MatchesIdsWholeTextsAndPatterns) {
  const store::CellRow row = cell("gpt-austen:desk,lr=0.01", "pytorch:env=new", "dp2/zero1", "mpi:btl=tcp", 2);
  for (const char* yes :
       {"workload:gpt-austen", "workload:gpt-austen:desk", "workload:gpt-austen:desk,lr=0.01", "workload:gpt*",
        "preset:desk", "system:pytorch", "system:pytorch:env=new", "strategy:dp2/zero1", "strategy:dp?/*", "fabric:mpi",
        "ranks:2", "workload:gpt*,ranks:2", "status:failed", "system:*torch"}) {
    EXPECT_TRUE(holds(yes, row)) << yes;
  }
  for (const char* no : {"workload:gpt", "preset:tiny", "system:torch", "strategy:dp2", "ranks:22", "fabric:threads",
                         "workload:gpt*,ranks:4", "strategy:dp?"}) {
    EXPECT_FALSE(holds(no, row)) << no;
  }
  EXPECT_TRUE(holds("preset:tiny", cell("mlp", "reference", "serial")));
}

TEST(Filter, StatusAndModeAreAboutLaunches) {
  store::LaunchRow launch;
  launch.status = store::LaunchStatus::failed;
  launch.mode = store::LaunchMode::verify;
  EXPECT_TRUE(matches(parse_filter("status:failed,mode:verify,ranks:9"), launch));
  EXPECT_FALSE(matches(parse_filter("status:finished"), launch));
  EXPECT_FALSE(matches(parse_filter("mode:time"), launch));
}

TEST(Resolve, NamesWhatThereIs) {
  store::testing::Folder folder;
  store::Store store = store::Store::open(folder.file(), store::OpenMode::create);
  EXPECT_THAT(failure_of([&] { resolve(store, parse_selector("@last").campaign); }), HasSubstr("it holds none"));
  const store::CampaignRow first = store.begin_campaign({}), second = store.begin_campaign({});
  store.tag(first.id, "release", "ann");
  EXPECT_EQ(resolve(store, parse_selector("@last").campaign).id, second.id);
  EXPECT_EQ(resolve(store, parse_selector("@last~1").campaign).id, first.id);
  EXPECT_EQ(resolve(store, parse_selector("@2").campaign).id, second.id);
  EXPECT_EQ(resolve(store, parse_selector("release").campaign).id, first.id);
  EXPECT_THAT(failure_of([&] { resolve(store, parse_selector("@last~2").campaign); }),
              AllOf(HasSubstr("@1 to @2"), HasSubstr("release = @1")));
  store.import_launch(store::testing::record(first, 7, cell("mlp:tiny", "reference", "serial")));
  EXPECT_EQ(resolve(store, parse_launch_selector("release.7")).number, 7);
  EXPECT_THAT(failure_of([&] { resolve(store, parse_launch_selector("@1.8")); }), HasSubstr("no such launch"));
}

}  // namespace
}  // namespace lockstep::snapshot
