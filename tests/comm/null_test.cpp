#include "reference_trainer/comm/null_transport.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "adapters/contract/failure.h"
#include "reference_trainer/comm/threads_transport.h"
#include "tests/comm/bodies.h"

namespace lockstep::comm {
namespace {

TEST(Null, OperationsAreCompleteWithoutPeersAndMoveNothing) {
  ThreadsWorld world(4);
  const auto inner_transport = world.endpoint(1);
  const auto transport = leave_out_communication(*inner_transport);
  Communicator comm(*transport);
  for (const auto& row : collective::algorithms()) {
    for (const Operation operation : row.operations) {
      std::vector<float> values = bodies::initial_values<float>(1, 1000);
      comm.run(operation, std::span(values), "nothing", Reduce::sum, row.name);
      EXPECT_EQ(values, bodies::initial_values<float>(1, 1000)) << row.name;
    }
  }
  EXPECT_EQ(comm.reduce_value(7, Reduce::sum, "value"), 7);
  EXPECT_EQ(comm.counters().bytes_sent, 0);
  EXPECT_EQ(comm.counters().messages, 0);
}

TEST(Null, BarriersAreReal) {
  ThreadsWorld world(2);
  std::atomic<bool> arrived{false};
  std::thread other([&] {
    const auto inner_transport = world.endpoint(1);
  const auto transport = leave_out_communication(*inner_transport);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    arrived = true;
    Communicator(*transport).barrier("start");
  });
  const auto inner_transport = world.endpoint(0);
  const auto transport = leave_out_communication(*inner_transport);
  Communicator(*transport).barrier("start");
  EXPECT_TRUE(arrived);
  other.join();
}

TEST(Null, FailuresAreSeen) {
  ThreadsWorld world(2);
  const auto inner_failing = world.endpoint(0);
  const auto failing = leave_out_communication(*inner_failing);
  const auto inner_transport = world.endpoint(1);
  const auto transport = leave_out_communication(*inner_transport);
  failing->abort("out of memory");
  Communicator comm(*transport);
  EXPECT_THAT([&] { comm.reduce_value(1, Reduce::sum, "value"); },
              testing::ThrowsMessage<Failure>(testing::HasSubstr("rank 0 failed: out of memory")));
}

}  // namespace
}  // namespace lockstep::comm
