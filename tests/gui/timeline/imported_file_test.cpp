#include "gui/core/timeline/imported_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "adapters/contract/failure.h"
#include "profiler/sinks/trace_file.h"
#include "tests/gui/timeline/random_trace.h"

namespace lockstep::gui::timeline {
namespace {

namespace fs = std::filesystem;

struct TimelineImported : ::testing::Test {
  void SetUp() override {
    folder = fs::path(::testing::TempDir()) / ("imported-" + std::to_string(getpid()));
    fs::create_directories(folder);
    trace_file = folder / "trace.rank0.json";
    profiler::write_trace(trace_file, testing::random_trace(0, 500));
  }
  void TearDown() override { fs::remove_all(folder); }

  static void change(const fs::path& file, std::streamoff at) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(at);
    stream.put('!');
  }

  fs::path folder, trace_file;
};

void expect_equal(const Columns& a, const Columns& b) {
  EXPECT_EQ(a.names, b.names);
  EXPECT_EQ(a.row_begin, b.row_begin);
  EXPECT_EQ(a.begin_ns, b.begin_ns);
  EXPECT_EQ(a.end_ns, b.end_ns);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.microbatch, b.microbatch);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.dropped, b.dropped);
  EXPECT_EQ(a.transfers.activity, b.transfers.activity);
  EXPECT_EQ(a.transfers.peer, b.transfers.peer);
  EXPECT_EQ(a.transfers.tag, b.transfers.tag);
  EXPECT_EQ(a.transfers.bytes, b.transfers.bytes);
  EXPECT_EQ(a.transfers.way, b.transfers.way);
  ASSERT_EQ(a.tracks.size(), b.tracks.size());
  for (size_t t = 0; t < a.tracks.size(); ++t) {
    EXPECT_EQ(a.tracks[t].name, b.tracks[t].name);
    EXPECT_EQ(a.tracks[t].rank, b.tracks[t].rank);
    EXPECT_EQ(a.tracks[t].origin, b.tracks[t].origin);
    EXPECT_EQ(a.tracks[t].first_row, b.tracks[t].first_row);
    EXPECT_EQ(a.tracks[t].rows, b.tracks[t].rows);
  }
}

TEST_F(TimelineImported, ReadsBackWhatWasWritten) {
  activity::Trace trace = testing::random_trace(3, 700);
  for (uint32_t i = 0; i < 100; ++i) {
    trace.transfers.push_back({i % 2 == 0 ? activity::Transfer::send : activity::Transfer::recv, i / 3, 4,
                               static_cast<int32_t>(i), int64_t{1} << (i % 60)});
  }
  trace.dropped = 12, trace.origin = activity::Origin::virtual_time;
  const Columns columns = columns_of(trace);
  const Source source{123, std::string(32, 'a')};
  write_imported(folder / "x.columns", columns, source);
  const auto read = read_imported(folder / "x.columns", source);
  ASSERT_TRUE(read);
  expect_equal(*read, columns);
  EXPECT_FALSE(read_imported(folder / "x.columns", {124, source.hash})) << "of another trace";
  EXPECT_FALSE(read_imported(folder / "y.columns", source)) << "not there";
}

TEST_F(TimelineImported, IsMadeOnceAndAgainWhenTheTraceIsAnother) {
  const Opened first = open_trace(trace_file);
  EXPECT_EQ(first.note, "");
  ASSERT_TRUE(fs::exists(imported_path(trace_file)));
  const auto written = fs::last_write_time(imported_path(trace_file));
  expect_equal(open_trace(trace_file).columns, first.columns);
  EXPECT_EQ(fs::last_write_time(imported_path(trace_file)), written);
  profiler::write_trace(trace_file, testing::random_trace(0, 600));
  EXPECT_EQ(open_trace(trace_file).columns.size(), testing::random_trace(0, 600).activities.size());
}

TEST_F(TimelineImported, ADamagedOrCutFileIsMadeAgain) {
  const Columns whole = open_trace(trace_file).columns;
  const fs::path file = imported_path(trace_file);
  const auto size = static_cast<std::streamoff>(fs::file_size(file));
  for (const std::streamoff at : {std::streamoff{3}, std::streamoff{30}, std::streamoff{70}, size / 2, size - 1}) {
    change(file, at);
    expect_equal(open_trace(trace_file).columns, whole);
  }
  fs::resize_file(file, static_cast<uintmax_t>(size) / 3);
  expect_equal(open_trace(trace_file).columns, whole);
  fs::resize_file(file, 0);
  expect_equal(open_trace(trace_file).columns, whole);
}

TEST_F(TimelineImported, TellsHowFarItIsAndCanBeEnded) {
  double last = 0;
  int calls = 0;
  open_trace(trace_file, [&](double share) {
    EXPECT_GE(share, last);
    EXPECT_LE(share, 1);
    last = share, ++calls;
  });
  EXPECT_GE(calls, 2);
  fs::remove(imported_path(trace_file));
  const auto stop = [](double) { throw Failure("interrupted", "stopped"); };
  EXPECT_THROW(open_trace(trace_file, stop), Failure);
  EXPECT_FALSE(fs::exists(imported_path(trace_file)));
  open_trace(trace_file);
  EXPECT_NO_THROW(open_trace(trace_file, stop)) << "what is imported needs no second reading";
}

TEST_F(TimelineImported, WhatCannotBeKeptIsSaidAndWhatIsNoTraceIsRefused) {
  fs::create_directory(imported_path(trace_file));  // in the way
  EXPECT_NE(open_trace(trace_file).note.find("cannot be written"), std::string::npos);
  EXPECT_THROW(open_trace(folder / "none.json"), Failure);
  std::ofstream(folder / "bad.json") << "{}";
  EXPECT_THROW(open_trace(folder / "bad.json"), Failure);
}

}  // namespace
}  // namespace lockstep::gui::timeline
