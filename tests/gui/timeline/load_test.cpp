#include "gui/core/timeline/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/core/timeline/track_filter.h"
#include "tests/gui/timeline/recorded_store.h"

namespace lockstep::gui::timeline {
namespace {

using store::testing::failure_of;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::RecordedStore;

ViewState view_of(const std::string& launch) {
  ViewState out;
  out.launch = launch;
  return out;
}

size_t tracks_of(const Launch& launch, activity::Origin origin) {
  return static_cast<size_t>(std::count_if(launch.timeline.columns.tracks.begin(), launch.timeline.columns.tracks.end(),
                                           [&](const Track& track) { return track.origin == origin; }));
}

TEST(TimelineLoad, TheFirstRecordedLaunchWithItsPlanIsShown) {
  RecordedStore recorded;
  const Loaded loaded = load(recorded.campaign.store, {});
  ASSERT_EQ(loaded.recorded.size(), 2u);
  EXPECT_EQ(loaded.recorded[1].selector, "@1.3");
  ASSERT_TRUE(loaded.first) << loaded.missing;
  EXPECT_EQ(loaded.first->title(), "@1.2 mlp:tiny reference serial");
  EXPECT_EQ(tracks_of(*loaded.first, activity::Origin::measured), 2u);
  EXPECT_EQ(tracks_of(*loaded.first, activity::Origin::planned), 1u);
  EXPECT_EQ(span_ns(loaded.first->timeline.columns).first, 0) << "times count from the first activity";
  EXPECT_EQ(loaded.first->steps.begin_ns.size(), 20u);
  EXPECT_THAT(loaded.first->notes, Contains(HasSubstr("of 1 rank in 20 recorded steps; no record was dropped")));
  EXPECT_THAT(loaded.first->notes, Contains(HasSubstr("Planned times are proportions")));
  EXPECT_LT(loaded.first->opening.length(), 0.9 * everything(loaded.first->timeline.columns).time.length());
  EXPECT_TRUE(std::filesystem::exists(recorded.folder(2) / "trace.rank0.json.columns"));
}

TEST(TimelineLoad, DroppedRecordsAreAlwaysSaid) {
  RecordedStore recorded(17);
  EXPECT_THAT(load(recorded.campaign.store, view_of("@1.3")).first->notes,
              Contains(HasSubstr("34 records did not fit and were dropped")));
}

TEST(TimelineLoad, ATimedLaunchLeadsToTheRecordedOneOfItsCell) {
  RecordedStore recorded;
  const Loaded loaded = load(recorded.campaign.store, view_of("@1.1"));
  ASSERT_TRUE(loaded.first);
  EXPECT_EQ(loaded.first->selector, "@1.2");
  EXPECT_EQ(loaded.redirected,
            "Launch @1.1 has no timeline of its own: this is @1.2, the recorded launch of its cell.");
}

TEST(TimelineLoad, AKnownLaunchIsNotReadAgain) {
  RecordedStore recorded;
  const auto first = load(recorded.campaign.store, view_of("@1.3")).first;
  ViewState view = view_of("@1.2");
  view.options[kOtherOption] = "@1.3";
  const Loaded both = load(recorded.campaign.store, view, {first});
  EXPECT_EQ(both.other, first);
  EXPECT_EQ(both.first->selector, "@1.2");
}

TEST(TimelineLoad, WhatIsMissingIsSaidWithTheCommandThatRecordsIt) {
  snapshot::testing::Campaign campaign;
  EXPECT_THAT(load(campaign.store, {}).missing, HasSubstr("No launch of campaign @1 was recorded. Record one: lockstep "
                                                          "run -w WORKLOAD -s STRATEGY --profile."));
  campaign.finished(store::testing::cell("mlp:tiny", "reference", "dp2", "threads", 2), 0, 2.0);
  campaign.finished(store::testing::cell("mlp:tiny", "pytorch", "serial"), 0, 2.0);
  EXPECT_THAT(
      load(campaign.store, view_of("@1.1")).missing,
      HasSubstr("Launch @1.1 has no timeline. Record one: lockstep run -w mlp:tiny -s dp2 -f threads --profile."));
  EXPECT_EQ(load(campaign.store, view_of("@1.2")).missing,
            "Launch @1.2 has no timeline. Only the system reference keeps timelines.");
  EXPECT_THAT(failure_of([&] { load(campaign.store, view_of("@1.9")); }), HasSubstr("usage"));
}

TEST(TimelineLoad, AFilterOfCellsLeavesTheirLaunches) {
  RecordedStore recorded;
  ViewState view;
  view.filter = "strategy=dp2";
  const Loaded loaded = load(recorded.campaign.store, view);
  ASSERT_EQ(loaded.recorded.size(), 1u);
  EXPECT_EQ(loaded.first->selector, "@1.3");
  view.filter = "strategy=dp8";
  EXPECT_THAT(load(recorded.campaign.store, view).missing, HasSubstr("that the filter leaves"));
}

TEST(TimelineLoad, AMissingFileIsARefusalThatNamesIt) {
  RecordedStore recorded;
  std::filesystem::remove(recorded.folder(2) / "trace.rank0.json");
  const Loaded loaded = load(recorded.campaign.store, {});
  EXPECT_EQ(loaded.first, nullptr);
  EXPECT_EQ(loaded.wanted, "@1.2");
  EXPECT_THAT(loaded.missing, HasSubstr("launch @1.2 cannot be read"));
  EXPECT_THAT(loaded.missing, HasSubstr("trace.rank0.json: cannot be read"));
}

TEST(TimelineTrackFilter, HidesTracksByRankNameAndOrigin) {
  RecordedStore recorded;
  const auto launch = load(recorded.campaign.store, view_of("@1.3")).first;
  const Columns& columns = launch->timeline.columns;
  const auto left = [&](const std::string& filter) {
    std::vector<std::string> out;
    const std::vector<bool> hidden = hidden_tracks(columns, filter);
    for (size_t t = 0; t < hidden.size(); ++t) {
      if (!hidden[t]) out.push_back(std::to_string(columns.tracks[t].rank) + " " + label_of(columns.tracks[t]));
    }
    return out;
  };
  EXPECT_THAT(left("rank>=1"), ElementsAre("1 communication", "1 main", "1 main (planned)"));
  EXPECT_THAT(left("comm"), ElementsAre("0 communication", "1 communication"));
  EXPECT_THAT(left("origin:planned -rank=0"), ElementsAre("1 main (planned)"));
  EXPECT_EQ(left("").size(), columns.tracks.size());
  EXPECT_THAT(failure_of([&] { left("colour:red"); }), HasSubstr("rank"));
}

TEST(TimelineTrackFilter, TracksAsTextAreFoundAgain) {
  RecordedStore recorded;
  const auto launch = load(recorded.campaign.store, view_of("@1.3")).first;
  const Columns& columns = launch->timeline.columns;
  EXPECT_EQ(tracks_text(columns, {0, 3}), "0 communication measured\n1 main measured");
  EXPECT_THAT(tracks_in(columns, tracks_text(columns, {0, 3}) + "\n9 main measured"), ElementsAre(0u, 3u));
}

}  // namespace
}  // namespace lockstep::gui::timeline
