// A rank that fails or hangs on the threads transport: the others are woken, and texts say who waits for whom.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "adapters/contract/failure.h"
#include "reference_trainer/comm/run_ranks.h"
#include "tests/comm/bodies.h"

namespace lockstep::comm {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;

/// Runs fn, expects a Failure, and returns "KIND: TEXT".
template <typename Fn>
std::string failure_of(const Fn& fn) {
  try {
    fn();
  } catch (const Failure& failure) {
    return failure.kind() + ": " + failure.what();
  }
  return "no failure";
}

TEST(Failure, WakesEveryRankAndNamesTheOneThatFailed) {
  for (const std::string_view algorithm : {"ring", "tree", "rabenseifner", "direct", "native"}) {
    std::atomic<int> woken{0};
    const std::string thrown = failure_of([&] {
      run_ranks(4, [&](Transport& transport) {
        std::vector<float> values(5000, 1.0F);
        Communicator comm(transport);
        if (comm.rank() == 2) throw Failure("data_missing", "no data at rank 2");
        const std::string seen = failure_of(
            [&] { comm.run(Operation::all_reduce, std::span(values), "gradients", Reduce::sum, algorithm); });
        EXPECT_THAT(seen, AllOf(HasSubstr("peer_lost: rank "), HasSubstr("rank 2 failed: no data at rank 2")));
        ++woken;
        throw Failure("internal", "another rank's own end, which is not the cause");
      });
    });
    EXPECT_EQ(thrown, "data_missing: no data at rank 2") << algorithm;
    EXPECT_EQ(woken, 3) << algorithm;
  }
}

TEST(Failure, WakesABarrier) {
  const auto ranks = [] {
    run_ranks(3, [](Transport& transport) {
      Communicator comm(transport);
      if (comm.rank() == 0) throw std::runtime_error("broken");
      comm.barrier("start");
    });
  };
  EXPECT_THAT(ranks, testing::ThrowsMessage<std::runtime_error>("broken"));
}

TEST(Failure, ALeftOperationEndsTheRankForTheOthers) {
  run_ranks(2, [](Transport& transport) {
    std::vector<float> values(100000, 1.0F);
    if (transport.rank() == 0) {
      Communicator comm(transport);
      comm.start(Operation::all_reduce, std::span(values), Reduce::sum, "ring");
      return;  // nobody may touch `values` from here on
    }
    Communicator comm(transport);
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_THAT(
        failure_of([&] { comm.run(Operation::all_reduce, std::span(values), "gradients", Reduce::sum, "ring"); }),
        HasSubstr("rank 0 failed: left with 1 collectives in flight, the oldest all_reduce #0"));
  });
}

TEST(Deadline, SaysWhichRankWaitsForWhomInWhichOperation) {
  run_ranks(3, [](Transport& transport) {
    std::vector<float> values(30, 1.0F);
    Communicator comm(transport, {.deadline = milliseconds(60'000)});
    comm.barrier("start");
    if (comm.rank() == 1) {  // the one that never comes
      std::this_thread::sleep_for(milliseconds(400));
      return;
    }
    const milliseconds deadline(comm.rank() == 0 ? 200 : 60'000);
    const Handle handle = comm.start(Operation::all_reduce, std::span(values), Reduce::sum, "ring");
    const std::string seen = failure_of([&] { comm.wait(handle, "gradients of bucket 3", deadline); });
    if (comm.rank() == 0) {
      EXPECT_THAT(seen, AllOf(HasSubstr("peer_lost: rank 0 waited 200ms for 'gradients of bucket 3' in all_reduce #1 "
                                        "(ring, round 1 of 4): send to rank 1 of chunks 2+1"),
                              HasSubstr("\n  rank 1 does not wait"),
                              HasSubstr("\n  rank 2 waits for 'gradients of bucket 3' in all_reduce #1")));
    } else {
      EXPECT_THAT(seen, HasSubstr("rank 0 failed"));
    }
  });
}

TEST(Unsupported, SaysWhyAndWhatIsPossible) {
  run_ranks(3, [](Transport& transport) {
    std::vector<float> values(3, 1.0F);
    Communicator comm(transport);
    const auto start = [&](Communicator& c, Operation operation, std::string_view algorithm) {
      return failure_of([&] { c.start(operation, std::span(values), Reduce::sum, algorithm); });
    };
    EXPECT_THAT(start(comm, Operation::all_gather, "tree"), HasSubstr("unsupported: collective tree does all_reduce"));
    EXPECT_THAT(start(comm, Operation::all_reduce, "rings"), HasSubstr("did you mean ring?"));
    Communicator self(transport, {.id = 1, .members = {transport.rank()}});
    EXPECT_THAT(start(self, Operation::all_reduce, "native"), HasSubstr("a group of 1 of 3 ranks"));
  });
}

}  // namespace
}  // namespace lockstep::comm
