// The bodies of bodies.h on the threads transport.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "reference_trainer/comm/run_ranks.h"
#include "tests/comm/bodies.h"

namespace lockstep::comm {
namespace {

class Threads : public testing::TestWithParam<std::tuple<bodies::Body, int>> {};

TEST_P(Threads, Body) {
  const auto [body, ranks] = GetParam();
  EXPECT_NO_THROW(run_ranks(ranks, [&](Transport& transport) {
    Communicator comm(transport);
    body.run(comm);
  }));
}

INSTANTIATE_TEST_SUITE_P(All, Threads,
                         testing::Combine(testing::ValuesIn(bodies::kAll), testing::Values(2, 3, 4, 5, 8)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + std::to_string(std::get<1>(info.param));
                         });

TEST(OneRank, EveryOperationIsCompleteAtOnce) {
  run_ranks(1, [](Transport& transport) {
    Communicator comm(transport);
    bodies::all_algorithms(comm);
    bodies::control_values(comm);
    EXPECT_EQ(comm.counters().bytes_sent, 0);
  });
}

/// (way, peer, bytes) of all that an observer is told.
std::vector<std::tuple<Moved::Way, int, int64_t>> moved_by(Transport& transport,
                                                           const std::function<void(Communicator&)>& work) {
  std::vector<std::tuple<Moved::Way, int, int64_t>> out;
  CommunicatorOptions options;
  options.observe = [&](const Span& span) {
    EXPECT_TRUE(span.kind == Span::operation || span.moved.empty());
    for (const Moved& moved : span.moved) out.emplace_back(moved.way, moved.peer, moved.bytes);
  };
  Communicator comm(transport, options);
  work(comm);
  return out;
}

TEST(Observer, IsToldWhatWentToWhomAndItIsWhatTheTransportCounts) {
  run_ranks(3, [](Transport& transport) {
    const int rank = transport.rank(), right = (rank + 1) % 3, left = (rank + 2) % 3;
    std::vector<float> values(99, 1.0F);
    int64_t before = transport.counters().bytes_sent;
    const auto ring = moved_by(transport, [&](Communicator& comm) {
      comm.run(Operation::all_reduce, std::span(values), "ring", Reduce::sum, "ring");
    });
    EXPECT_THAT(ring, ::testing::UnorderedElementsAre(std::tuple(Moved::send, right, 4 * 33 * 4),
                                                      std::tuple(Moved::recv, left, 4 * 33 * 4)));
    EXPECT_EQ(transport.counters().bytes_sent - before, 4 * 33 * 4);
    before = transport.counters().bytes_sent;
    const auto native = moved_by(transport, [&](Communicator& comm) { comm.barrier("nothing to tell"); });
    EXPECT_TRUE(native.empty());
    float out = 0, in = 0;
    const auto message = moved_by(transport, [&](Communicator& comm) {
      const std::array<PeerMessage, 2> both = {{{PeerMessage::send, right, Buffer(std::span(&out, 1)), 3},
                                                {PeerMessage::recv, left, Buffer(std::span(&in, 1)), 3}}};
      comm.wait(comm.start(both), "message");
    });
    EXPECT_THAT(message,
                ::testing::UnorderedElementsAre(std::tuple(Moved::send, right, 4), std::tuple(Moved::recv, left, 4)));
    EXPECT_EQ(transport.counters().bytes_sent - before, 4);
  });
}

TEST(Observer, SeesOperationsRoundsAndWaits) {
  run_ranks(2, [](Transport& transport) {
    std::vector<float> values(100, 1.0F);
    int operations = 0;
    int rounds = 0;
    CommunicatorOptions options;
    options.observe = [&](const Span& span) {
      EXPECT_GE(span.end, span.begin);
      if (span.kind == Span::wait) return;
      EXPECT_EQ(span.name, "all_reduce ring");
      EXPECT_EQ(span.bytes, 400);
      ++(span.kind == Span::operation ? operations : rounds);
    };
    Communicator comm(transport, options);
    comm.run(Operation::all_reduce, std::span(values), "observed", Reduce::sum, "ring");
    EXPECT_EQ(operations, 1);
    EXPECT_EQ(rounds, 2);
  });
}

}  // namespace
}  // namespace lockstep::comm
