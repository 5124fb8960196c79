#include <gmock/gmock.h>

#include "adapters/contract/failure.h"
#include "tests/plan/collective/cases.h"

namespace lockstep::collective {
namespace {

using testing::HasSubstr;

std::string complaint_about(const std::string& text) {
  try {
    parse(text);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.kind(), "usage");
    return failure.what();
  }
  return "no complaint";
}

TEST(Text, EveryProgramPrintsWhatParsesBack) {
  for (const Case& c : all_cases(9)) {
    const Program program = generate(c.algorithm->name, c.operation, c.ranks, c.ranks / 2);
    EXPECT_EQ(parse(print(program)), program) << label(c);
  }
}

TEST(Text, RingOfTwoReadsAsDocumented) {
  EXPECT_EQ(print(generate("ring", Operation::all_reduce, 2)),
            "all_reduce ring chunks=2 root=0\n"
            "0: send 1 1+1, recv_reduce 1 0+1 | send 1 0+1, recv 1 1+1\n"
            "1: send 0 0+1, recv_reduce 0 1+1 | send 0 1+1, recv 0 0+1\n");
}

TEST(Text, ErrorsPointAtLineAndColumn) {
  EXPECT_THAT(complaint_about("all_reduce ring chunks=2 root=0\n0: push 1 0+1\n1:\n"),
              AllOf(HasSubstr("line 2, column 8"), HasSubstr("'push' is none of send, recv, recv_reduce")));
  EXPECT_THAT(complaint_about("all_reduce ring chunks=2\n"), HasSubstr("expected ' root='"));
  EXPECT_THAT(complaint_about("all_reduce ring chunks=0 root=0\n0:\n"), HasSubstr("at least one chunk"));
  EXPECT_THAT(complaint_about("all_reduce ring chunks=2 root=0\n1:\n"), HasSubstr("expected rank 0"));
  EXPECT_THAT(complaint_about("all_reduce ring chunks=2 root=0\n0: send 0 0+1\n1:\n"), HasSubstr("no peer 0"));
  EXPECT_THAT(complaint_about("all_reduce ring chunks=2 root=0\n0: send 1 1+2\n1:\n"),
              HasSubstr("1+2 are not chunks of 2"));
  EXPECT_THAT(complaint_about("all_reduce ring chunks=2 root=2\n0:\n1:\n"), HasSubstr("root 2"));
  EXPECT_THAT(complaint_about("all_reduce ring chunks=2 root=0\n0: send 1 0+99999999999\n"),
              HasSubstr("expected a number"));
  EXPECT_THAT(complaint_about("allreduce ring chunks=2 root=0\n0:\n"), HasSubstr("did you mean all_reduce?"));
}

TEST(Text, UnknownAndImpossibleAlgorithmsSayWhatIsPossible) {
  EXPECT_THAT([] { find_algorithm("rign"); }, testing::ThrowsMessage<Failure>(HasSubstr("did you mean ring?")));
  EXPECT_THAT([] { generate("tree", Operation::all_gather, 4); },
              testing::ThrowsMessage<Failure>(HasSubstr("tree does all_reduce, broadcast, reduce, not all_gather")));
  EXPECT_THAT([] { generate("native", Operation::all_reduce, 4); },
              testing::ThrowsMessage<Failure>(HasSubstr("the transport's own")));
}

TEST(ChunkRange, TilesTheBufferAndLongerChunksComeFirst) {
  for (const int64_t n : {0, 1, 2, 7, 50257}) {
    for (const int chunks : {1, 2, 3, 8, 64}) {
      int64_t end = 0;
      for (int chunk = 0; chunk < chunks; ++chunk) {
        const Range range = chunk_range(n, chunks, chunk);
        EXPECT_EQ(range.begin, end);
        EXPECT_GE(range.size(), n / chunks);
        EXPECT_LE(range.size(), n / chunks + 1);
        end = range.end;
      }
      EXPECT_EQ(end, n);
    }
  }
  EXPECT_EQ(chunk_range(7, 3, 0), (Range{0, 3}));
  EXPECT_EQ(chunk_range(7, 3, 1, 2), (Range{3, 7}));
}

}  // namespace
}  // namespace lockstep::collective
