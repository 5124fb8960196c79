#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::collective {

/// What a collective does to one buffer of N elements a rank, in place. The buffer is cut into `chunks` chunks (see
/// chunk_range); with one chunk a rank, chunk r is rank r's shard.
///
///   all_reduce      every rank ends with the reduction of all ranks' buffers
///   reduce_scatter  rank r ends with the reduction of chunk r; its other chunks are scratch
///   all_gather      rank r brings chunk r; every rank ends with all chunks
///   broadcast       every rank ends with the root's buffer
///   reduce          the root ends with the reduction; the others' buffers are scratch
///   all_to_all      of p x p chunks rank r brings those of row r, chunk r p + s for rank s, and ends with those of
///                   column r, chunk s p + r from rank s; its other chunks are scratch, and may be empty
enum class Operation : uint8_t { all_reduce, reduce_scatter, all_gather, broadcast, reduce, all_to_all };

enum class Action : uint8_t { send, recv, recv_reduce };

/// Chunks [first, first + count) go to the peer, or come from it and replace or join what is here.
struct Transfer {
  Action action = Action::send;
  int peer = 0;
  int first = 0;
  int count = 0;
  bool operator==(const Transfer&) const = default;
};

/// Transfers that progress together. No chunk is both sent and received in a round; chunks that are received several
/// times are reduced in the order of the list, so that sums do not depend on who arrives first.
using Round = std::vector<Transfer>;

/// A collective as data: each rank's rounds. A message is matched by order within (sender, receiver).
struct Program {
  std::string algorithm;
  Operation operation = Operation::all_reduce;
  int chunks = 1;
  int root = 0;
  std::vector<std::vector<Round>> ranks;
  int size() const { return static_cast<int>(ranks.size()); }
  bool operator==(const Program&) const = default;
};

struct Range {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

/// Elements of chunks [first, first + count) of a buffer of n elements: the first n % chunks chunks are one longer.
Range chunk_range(int64_t n, int chunks, int first, int count = 1);

/// Whether two transfers touch a common chunk.
bool overlap(const Transfer&, const Transfer&);

/// Whether a receive's turn has come: the round's earlier receives from its peer, or into its chunks, are done. The
/// checker and the executor both go by this.
bool may_receive(const Round&, size_t index, const std::vector<bool>& done);

std::string_view name(Operation);
/// Throws Failure("usage") that lists the legal names.
Operation operation_of(std::string_view name);

/// The text form; prints what parse() reads:
///
///   all_reduce ring chunks=2 root=0
///   0: send 1 0+1, recv_reduce 1 1+1 | send 1 1+1, recv 1 0+1
///   1: send 0 1+1, recv_reduce 0 0+1 | send 0 0+1, recv 0 1+1
///
/// one line a rank; rounds are separated by "|", transfers by ","; a transfer is "ACTION PEER FIRST+COUNT".
std::string print(const Program&);
/// Throws Failure("usage") with line and column of what is wrong.
Program parse(std::string_view text);

}  // namespace lockstep::collective
