#include "profiler/activity/flows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "adapters/contract/failure.h"
#include "profiler/recorder/recorder.h"
#include "profiler/sinks/chrome_trace.h"
#include "profiler/sinks/trace_file.h"

namespace lockstep::profiler {
namespace {

using activity::Transfer;
using ::testing::ElementsAre;

/// Two ranks that send each other something three times, rank 1 later than rank 0.
activity::Trace talk() {
  activity::Trace whole;
  for (int32_t rank = 0; rank < 2; ++rank) {
    Recorder recorder(rank, 16);
    const uint32_t track = recorder.track("communication"), name = recorder.intern("messages direct");
    for (int64_t i = 0; i < 3; ++i) {
      const Transfer transfers[] = {{Transfer::send, 0, 1 - rank, 5, 100 + i},
                                    {Transfer::recv, 0, 1 - rank, 5, 100 + i}};
      const auto at = [&](int64_t ns) { return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(ns)); };
      recorder.record(track, name, activity::Kind::communication, at(1000 * i + 100 * rank), at(1000 * i + 500), -1, 0,
                      transfers);
    }
    merge(whole, recorder.take());
  }
  return whole;
}

std::vector<std::pair<int64_t, int64_t>> begins_of(const activity::Trace& trace) {
  std::vector<std::pair<int64_t, int64_t>> out;
  for (const activity::Flow& flow : flows_of(trace)) {
    EXPECT_EQ(trace.transfers[flow.send].bytes, trace.transfers[flow.recv].bytes);
    EXPECT_EQ(trace.transfers[flow.send].way, Transfer::send);
    EXPECT_EQ(trace.transfers[flow.recv].way, Transfer::recv);
    out.emplace_back(trace.activities[trace.transfers[flow.send].activity].begin_ns,
                     trace.activities[trace.transfers[flow.recv].activity].begin_ns);
  }
  return out;
}

using Pair = std::pair<int64_t, int64_t>;

TEST(Flows, PairSendsWithReceivesInOrder) {
  EXPECT_THAT(begins_of(talk()), ElementsAre(Pair(0, 100), Pair(100, 0), Pair(1000, 1100), Pair(1100, 1000),
                                             Pair(2000, 2100), Pair(2100, 2000)));
}

TEST(Flows, WhatTheRecordingCutAtItsBeginIsLeftOver) {
  activity::Trace trace = talk();
  trace.transfers.erase(trace.transfers.begin());  // rank 0's first send
  EXPECT_THAT(begins_of(trace),
              ElementsAre(Pair(100, 0), Pair(1000, 1100), Pair(1100, 1000), Pair(2000, 2100), Pair(2100, 2000)));
}

TEST(Flows, AnotherTagIsAnotherMessage) {
  activity::Trace trace = talk();
  trace.transfers.front().tag = 6;
  EXPECT_EQ(flows_of(trace).size(), 5u);
}

TEST(Flows, NobodyGuessesWhereRecordsWereDropped) {
  activity::Trace trace = talk();
  trace.dropped = 1;
  EXPECT_TRUE(flows_of(trace).empty());
}

TEST(Flows, TransfersBeyondTheCapacityDropTheirRecord) {
  Recorder recorder(0, 3);
  const uint32_t track = recorder.track("main"), name = recorder.intern("op");
  const std::vector<Transfer> two(2);
  for (int i = 0; i < 2; ++i) recorder.record(track, name, activity::Kind::communication, {}, {}, -1, 0, two);
  const activity::Trace trace = recorder.take();
  EXPECT_EQ(trace.activities.size(), 1u);
  EXPECT_EQ(trace.transfers.size(), 2u);
  EXPECT_EQ(trace.dropped, 1);
}

class TransferFile : public ::testing::Test {
 protected:
  ~TransferFile() override { std::filesystem::remove(file_); }
  nlohmann::json written(const activity::Trace& trace) {
    write_trace(file_, trace);
    return nlohmann::json::parse(std::ifstream(file_));
  }
  activity::Trace read(const nlohmann::json& document) {
    std::ofstream(file_) << document.dump();
    return read_trace(file_);
  }
  std::filesystem::path file_ = std::filesystem::temp_directory_path() / (std::to_string(getpid()) + "transfers.json");
};

TEST_F(TransferFile, ReadsWhatItWrote) {
  const activity::Trace trace = talk(), back = read(written(trace));
  ASSERT_EQ(back.transfers.size(), trace.transfers.size());
  for (size_t i = 0; i < back.transfers.size(); ++i) {
    EXPECT_EQ(back.transfers[i].activity, trace.transfers[i].activity);
    EXPECT_EQ(back.transfers[i].way, trace.transfers[i].way);
    EXPECT_EQ(back.transfers[i].peer, trace.transfers[i].peer);
    EXPECT_EQ(back.transfers[i].tag, trace.transfers[i].tag);
    EXPECT_EQ(back.transfers[i].bytes, trace.transfers[i].bytes);
  }
}

TEST_F(TransferFile, ATraceFromBeforeHasNone) {
  nlohmann::json old = written(talk());
  old.erase("transfers");
  EXPECT_TRUE(read(old).transfers.empty());
  EXPECT_EQ(read(old).activities.size(), 6u);
}

TEST_F(TransferFile, RefusesWhatIsOfNoActivityOrOutOfOrder) {
  const nlohmann::json good = written(talk());
  for (const int bad : {-1, 100, 5}) {
    nlohmann::json document = good;
    document["transfers"]["activity"][0] = bad;
    EXPECT_THROW(read(document), Failure) << bad;
  }
  for (const char* column : {"activity", "way", "peer", "tag", "bytes"}) {
    nlohmann::json document = good;
    document["transfers"][column].erase(0);
    EXPECT_THROW(read(document), Failure) << column;
  }
  nlohmann::json document = good;
  document["transfers"]["way"][0] = "push";
  EXPECT_THROW(read(document), Failure);
}

TEST(ChromeFlows, AreArrowsInsideTheirSlices) {
  const std::vector<activity::Trace> traces{talk()};
  std::map<std::string, std::vector<nlohmann::json>> by_id;
  const auto document = nlohmann::json::parse(chrome_trace(traces));
  for (const auto& event : document.at("traceEvents")) {
    if (event.at("ph") == "s" || event.at("ph") == "f") by_id[event.at("id")].push_back(event);
  }
  EXPECT_EQ(by_id.size(), 6u);
  for (const auto& [id, ends] : by_id) {
    ASSERT_EQ(ends.size(), 2u) << id;
    EXPECT_EQ(ends[0].at("ph"), "s");
    EXPECT_EQ(ends[1].at("bp"), "e");
    EXPECT_NE(ends[0].at("pid"), ends[1].at("pid"));
    EXPECT_LE(ends[0].at("ts").get<double>(), ends[1].at("ts").get<double>());
  }
}

}  // namespace
}  // namespace lockstep::profiler
