#include "gui/core/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QSignalSpy>

#include "adapters/contract/failure.h"

namespace lockstep::gui {
namespace {

TEST(Session, UndoAndRedoGoBackAndForth) {
  Session session;
  session.change([](ViewState& view) { view.filter = "a"; });
  session.change([](ViewState& view) { view.filter = "b"; });
  session.undo();
  EXPECT_EQ(session.view().filter, "a");
  session.undo();
  EXPECT_EQ(session.view().filter, "");
  EXPECT_FALSE(session.can_undo());
  session.redo();
  session.redo();
  EXPECT_EQ(session.view().filter, "b");
  EXPECT_FALSE(session.can_redo());
}

TEST(Session, AnEditAfterUndoForgetsWhatWasUndone) {
  Session session;
  session.change([](ViewState& view) { view.filter = "a"; });
  session.undo();
  session.change([](ViewState& view) { view.cell = "c"; });
  EXPECT_FALSE(session.can_redo());
}

TEST(Session, OneGestureIsUndoneAtOnce) {
  Session session;
  for (int i = 1; i <= 5; ++i) {
    session.change([&](ViewState& view) { view.zooms["timeline.time"] = {0, i}; }, "wheel");
  }
  session.undo();
  EXPECT_TRUE(session.view().zooms.empty());
}

TEST(Session, AnEditThatChangesNothingIsNotHeard) {
  Session session;
  const QSignalSpy heard(&session, &Session::changed);
  session.change([](ViewState& view) { view.filter = ""; });
  EXPECT_EQ(heard.count(), 0);
  EXPECT_FALSE(session.can_undo());
}

TEST(View, ComesBackFromItsJson) {
  ViewState view;
  view.page = "scaling", view.campaign = "@3", view.filter = "system:\"py torch\" \xC3\xA4", view.base = "w r serial";
  view.hidden = {"a", "b"}, view.options = {{"scaling.metric", "time"}}, view.zooms = {{"timeline.time", {0.25, 1e9}}};
  EXPECT_EQ(read_view(to_json(view), "v.json"), view);
  EXPECT_EQ(read_view(to_json(ViewState{}), "v.json"), ViewState{});
}

TEST(View, WhatIsWrongWithItIsSaid) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "v.json: byte"},
      {"[]", "not a JSON object"},
      {R"({"format":"x"})", "format: is not \"lockstep.view\""},
      {R"({"format":"lockstep.view","version":9})", "version: is not 1"},
      {R"({"format":"lockstep.view","version":1,"page":3})", "page: is not a text"},
      {R"({"format":"lockstep.view","version":1,"zooms":{"t":[1]}})", "zooms.t: is not a list of two numbers"},
      {R"({"format":"lockstep.view","version":1,"hidden":{}})", "hidden: is not a list"},
      {R"({"format":"lockstep.view","version":1,"options":[]})", "options: is not an object"}};
  for (const auto& [json, words] : cases) {
    try {
      read_view(json, "v.json");
      ADD_FAILURE() << json;
    } catch (const Failure& failure) {
      EXPECT_THAT(failure.what(), testing::HasSubstr(words)) << json;
      EXPECT_EQ(failure.kind(), "usage");
    }
  }
}

}  // namespace
}  // namespace lockstep::gui
