#include "gui/core/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QSemaphore>
#include <QSignalSpy>
#include <QTest>
#include <thread>

#include "tests/results/store_records.h"

namespace lockstep::gui {
namespace {

using store::testing::Folder;
using ::testing::HasSubstr;

struct LoaderTest : ::testing::Test {
  LoaderTest() : loader(folder.file()) { store::Store::open(folder.file(), store::OpenMode::create); }

  /// A long question that goes on until it is stopped.
  void ask_endlessly() {
    loader.ask_long<int>(
        &receiver, "endless",
        [this](store::Store&, const Job& job) -> int {
          begun.release();
          for (;;) {
            job.at(0.5);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
        },
        [](std::shared_ptr<const int>) { FAIL(); }, [this](const Failure& failure) { failed = failure.what(); });
    begun.acquire();
  }
  void ask_shortly(const QString& channel) {
    loader.ask<int>(
        &receiver, channel, [](store::Store& store) { return static_cast<int>(store.campaigns().size()); },
        [this](std::shared_ptr<const int> n) { answer = *n; },
        [](const Failure& failure) { FAIL() << failure.what(); });
  }

  Folder folder;
  QObject receiver;
  QSemaphore begun;
  std::string failed;
  int answer = -1;
  Loader loader;
};

TEST_F(LoaderTest, WhatTakesLongDoesNotMakeOthersWait) {
  ask_endlessly();
  ask_shortly("short");
  EXPECT_TRUE(QTest::qWaitFor([&] { return answer == 0; }, 5000));
  EXPECT_TRUE(loader.busy());
  loader.stop();
  EXPECT_TRUE(QTest::qWaitFor([&] { return !loader.busy(); }, 5000));
  EXPECT_THAT(failed, HasSubstr("stopped"));
}

TEST_F(LoaderTest, TellsHowFarALongQuestionIsAndThatItIsOver) {
  QSignalSpy told(&loader, &Loader::progress);
  bool shown = false;
  loader.ask_long<int>(
      &receiver, "count",
      [](store::Store&, const Job& job) {
        for (int i = 0; i <= 1000; ++i) job.at(i / 1000.0);
        return 7;
      },
      [&](std::shared_ptr<const int> n) { shown = *n == 7; }, [](const Failure& failure) { FAIL() << failure.what(); });
  ASSERT_TRUE(QTest::qWaitFor([&] { return shown; }, 5000));
  ASSERT_GE(told.count(), 10);
  EXPECT_LE(told.count(), 110) << "not a signal for each of a thousand";
  EXPECT_LT(told.back()[1].toDouble(), 0);
  EXPECT_NEAR(told[told.count() - 2][1].toDouble(), 1, 0.02);
}

TEST_F(LoaderTest, ANewerQuestionEndsTheOlderOneWithoutAWord) {
  ask_endlessly();
  bool shown = false;
  loader.ask_long<int>(
      &receiver, "endless", [](store::Store&, const Job&) { return 1; },
      [&](std::shared_ptr<const int>) { shown = true; }, [](const Failure& failure) { FAIL() << failure.what(); });
  EXPECT_TRUE(QTest::qWaitFor([&] { return shown; }, 5000));
  EXPECT_EQ(failed, "");
}

TEST_F(LoaderTest, ForgetsAQuestionOfManySmallQueries) {
  loader.ask<int>(
      &receiver, "many",
      [this](store::Store& store) -> int {
        begun.release();
        for (;;) store.campaigns();
      },
      [](std::shared_ptr<const int>) { FAIL(); }, [](const Failure& failure) { FAIL() << failure.what(); });
  begun.acquire();
  loader.forget(&receiver, "many");
  ask_shortly("short");
  EXPECT_TRUE(QTest::qWaitFor([&] { return answer == 0; }, 5000));
}

}  // namespace
}  // namespace lockstep::gui
