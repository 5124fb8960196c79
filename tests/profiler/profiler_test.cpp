#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "adapters/contract/failure.h"
#include "profiler/recorder/recorder.h"
#include "profiler/sinks/chrome_trace.h"
#include "profiler/sinks/trace_file.h"

namespace lockstep::profiler {
namespace {

using activity::Kind;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

steady_clock::time_point at(int64_t ns) { return steady_clock::time_point(nanoseconds(ns)); }

activity::Trace two_activities() {
  Recorder recorder(3, 8);
  const uint32_t track = recorder.track("main"), name = recorder.intern("fc \"1\"\nä 日本");
  recorder.set_step(7);
  recorder.record(track, name, Kind::compute, at(1000), at(3000), 1, 64);
  recorder.record(track, recorder.intern("wait"), Kind::wait, at(3000), at(4500));
  return recorder.take();
}

std::filesystem::path scratch(const char* name) {
  return std::filesystem::temp_directory_path() / (std::to_string(getpid()) + name);
}

TEST(Recorder, DropsAndCountsBeyondItsCapacity) {
  Recorder recorder(0, 2);
  const uint32_t track = recorder.track("main"), name = recorder.intern("op");
  for (int i = 0; i < 5; ++i) recorder.record(track, name, Kind::compute, at(i), at(i + 1));
  const activity::Trace trace = recorder.take();
  EXPECT_EQ(trace.activities.size(), 2u);
  EXPECT_EQ(trace.dropped, 3);
}

TEST(Recorder, ForgetsTheWarmUpAndKeepsNames) {
  Recorder recorder(0, 4);
  const uint32_t track = recorder.track("main"), name = recorder.intern("op");
  recorder.record(track, name, Kind::compute, at(0), at(1));
  recorder.forget();
  recorder.record(track, name, Kind::compute, at(5), at(6));
  const activity::Trace trace = recorder.take();
  ASSERT_EQ(trace.activities.size(), 1u);
  EXPECT_EQ(trace.activities[0].begin_ns, 5);
  EXPECT_EQ(trace.names[trace.activities[0].name], "op");
}

TEST(Range, WithoutARecorderDoesNothing) { const Range range(nullptr, 0, 0, Kind::compute); }

TEST(TraceFile, ReadsWhatItWrote) {
  const auto file = scratch("trace.json");
  const activity::Trace trace = two_activities();
  write_trace(file, trace);
  const activity::Trace back = read_trace(file);
  EXPECT_EQ(back.names, trace.names);
  ASSERT_EQ(back.activities.size(), 2u);
  EXPECT_EQ(back.activities[0].end_ns, 3000);
  EXPECT_EQ(back.activities[0].step, 7);
  EXPECT_EQ(back.activities[0].microbatch, 1);
  EXPECT_EQ(back.activities[1].kind, Kind::wait);
  EXPECT_EQ(back.tracks[0].rank, 3);
  std::filesystem::remove(file);
}

TEST(TraceFile, RefusesWhatIsNoTrace) {
  const auto file = scratch("broken.json");
  for (const char* text : {"", "{", "[]", "{\"format\":\"other\"}", "{\"format\":\"lockstep.trace\",\"version\":2}"}) {
    std::ofstream(file) << text;
    try {
      read_trace(file);
      ADD_FAILURE() << text;
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.kind(), "usage");
      EXPECT_NE(std::string(failure.what()).find("broken.json"), std::string::npos);
    }
  }
  std::filesystem::remove(file);
}

/// Columns of unequal length would shift records against each other.
TEST(TraceFile, RefusesColumnsOfUnequalLength) {
  const auto file = scratch("columns.json");
  write_trace(file, two_activities());
  const auto good = nlohmann::json::parse(std::ifstream(file));
  for (const char* column : {"begin_ns", "end_ns", "name", "track", "step", "microbatch", "bytes", "kind"}) {
    for (const bool longer : {false, true}) {
      nlohmann::json bad = good;
      auto& values = bad["columns"][column];
      if (longer) values.push_back(values[0]);
      if (!longer) values.clear();
      std::ofstream(file) << bad.dump();
      EXPECT_THROW(read_trace(file), Failure) << column << (longer ? " longer" : " empty");
    }
  }
  std::filesystem::remove(file);
}

TEST(ChromeTrace, IsStrictJsonWithIntegerIds) {
  activity::Trace planned = two_activities();
  planned.origin = activity::Origin::planned;
  const std::vector<activity::Trace> traces = {two_activities(), planned};
  const auto document = nlohmann::json::parse(chrome_trace(traces));
  int complete = 0;
  std::set<int> processes;
  for (const auto& event : document.at("traceEvents")) {
    EXPECT_TRUE(event.at("pid").is_number_integer());
    if (event.at("ph") != "X") continue;
    EXPECT_TRUE(event.at("tid").is_number_integer());
    processes.insert(event.at("pid").get<int>());
    if (complete++ == 0) {
      EXPECT_EQ(event.at("ts"), 0.0);
      EXPECT_EQ(event.at("dur"), 2.0);
      EXPECT_EQ(event.at("name"), "fc \"1\"\nä 日本");
    }
  }
  EXPECT_EQ(complete, 4);
  EXPECT_EQ(processes.size(), 2u) << "planned activities stand beside the measured ones";
  EXPECT_EQ(document.at("otherData").at("dropped_records_planned"), "0");
}

TEST(Merge, KeepsTracksApart) {
  activity::Trace whole = two_activities();
  merge(whole, two_activities());
  EXPECT_EQ(whole.tracks.size(), 2u);
  EXPECT_EQ(whole.activities[2].track, 1u);
  EXPECT_EQ(whole.names[whole.activities[3].name], "wait");
}

}  // namespace
}  // namespace lockstep::profiler
