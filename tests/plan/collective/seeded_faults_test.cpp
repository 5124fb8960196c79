// The checker finds faults that were put into good programs.
#include <gmock/gmock.h>

#include <functional>

#include "reference_trainer/plan/collective/check.h"
#include "tests/plan/collective/cases.h"

namespace lockstep::collective {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string after(std::string_view algorithm, int ranks, const std::function<void(Program&)>& spoil) {
  Program program = generate(algorithm, Operation::all_reduce, ranks);
  spoil(program);
  return check(program);
}

TEST(SeededFault, ARankThatSkipsItsLastRoundBlocksItsNeighbours) {
  const std::string report = after("ring", 3, [](Program& p) { p.ranks[1].pop_back(); });
  EXPECT_THAT(report,
              AllOf(HasSubstr("rank 0 is blocked in round 3: send to rank 1 of chunks 2+1; rank 1 is finished"),
                    HasSubstr("rank 2 is blocked in round 3: receive from rank 1 of chunks 0+1; rank 1 is finished"),
                    HasSubstr("0: send 1 2+1")));
}

TEST(SeededFault, SendsBeforeReceivesInRoundsOfTheirOwnDeadlock) {
  // Works with buffering, and only with it.
  const Program program = parse(
      "all_reduce sends_first chunks=2 root=0\n"
      "0: send 1 1+1 | recv_reduce 1 0+1 | send 1 0+1, recv 1 1+1\n"
      "1: send 0 0+1 | recv_reduce 0 1+1 | send 0 1+1, recv 0 0+1\n");
  EXPECT_THAT(check(program),
              AllOf(HasSubstr("rank 0 is blocked in round 0: send to rank 1 of chunks 1+1; rank 1 is in round 0"),
                    HasSubstr("rank 1 is blocked in round 0: send to rank 0")));
}

TEST(SeededFault, ReplacingInsteadOfReducingLosesContributions) {
  const std::string report = after("tree", 4, [](Program& p) { p.ranks[0][0][0].action = Action::recv; });
  EXPECT_THAT(report, HasSubstr("rank 3 ends with contributions of ranks 1, 2, 3 in chunk 0"));
}

TEST(SeededFault, ReducingInsteadOfReplacingCountsTwice) {
  const std::string report =
      after("rabenseifner", 4, [](Program& p) { p.ranks[2][3][1].action = Action::recv_reduce; });
  EXPECT_THAT(report, HasSubstr("(2 times)"));
}

TEST(SeededFault, OtherChunksThanExpected) {
  const std::string report = after("ring", 4, [](Program& p) { p.ranks[3][0][0].first = 0; });
  EXPECT_THAT(report, AllOf(HasSubstr("rank 3 sends chunks 0+1 to rank 0, which expects 2+1")));
}

TEST(SeededFault, AChunkSentAndReceivedInOneRound) {
  const std::string report = after("ring", 3, [](Program& p) { p.ranks[0][0][1].first = p.ranks[0][0][0].first; });
  EXPECT_THAT(report, HasSubstr("rank 0 round 0: chunks 2+1 and 2+1 overlap, and one of them is received"));
}

TEST(SeededFault, PeersAndChunksThatDoNotExist) {
  EXPECT_THAT(after("ring", 3, [](Program& p) { p.ranks[0][0][0].peer = 3; }), HasSubstr("no peer 3"));
  EXPECT_THAT(after("ring", 3, [](Program& p) { p.ranks[0][0][0].count = 9; }), HasSubstr("are not chunks of 3"));
  EXPECT_THAT(after("ring", 3, [](Program& p) { p.ranks[0][0].clear(); }), HasSubstr("a round without transfers"));
}

TEST(SeededFault, AnAllToAllThatGoesToTheWrongRank) {
  Program program = generate("direct", Operation::all_to_all, 3);
  std::swap(program.ranks[0][0][0].peer, program.ranks[0][0][2].peer);
  EXPECT_THAT(check(program), HasSubstr("rank 0 sends chunks 2+1 to rank 1, which expects 1+1"));
  program.chunks = 3;
  EXPECT_THAT(check(program), HasSubstr("3 chunks, where an all_to_all of 3 ranks has 9"));
}

TEST(SeededFault, SendingWhatIsNotHeldYet) {
  Program program = generate("ring", Operation::all_gather, 3);
  program.operation = Operation::broadcast;  // only the root holds anything
  EXPECT_THAT(check(program), HasSubstr("rank 1 sends chunk 1 to rank 2 before it holds it"));
}

TEST(SeededFault, EveryDroppedTransferIsFound) {
  for (const Case& c : all_cases(6)) {
    const Program good = generate(c.algorithm->name, c.operation, c.ranks);
    for (size_t rank = 0; rank < good.ranks.size(); ++rank) {
      for (size_t round = 0; round < good.ranks[rank].size(); ++round) {
        Program spoiled = good;
        spoiled.ranks[rank][round].pop_back();
        EXPECT_NE(check(spoiled), "") << label(c) << " without the end of rank " << rank << " round " << round;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::collective
