// The bodies of bodies.h on the threads transport.
#include <gtest/gtest.h>

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
