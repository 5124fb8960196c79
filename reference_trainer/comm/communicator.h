#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference_trainer/comm/buffer.h"
#include "reference_trainer/comm/transport.h"
#include "reference_trainer/plan/collective/program.h"

namespace lockstep::comm {

using collective::Operation;

/// A started operation of one communicator; numbers count from 0 and are equal on all ranks.
struct Handle {
  int64_t sequence = -1;
};

/// Bytes that an operation sent to a rank of the transport, or received from it, in all its rounds.
struct Moved {
  enum Way : uint8_t { send, recv } way = send;
  int peer = 0;
  int tag = 0;  ///< the transport's
  int64_t bytes = 0;
};

/// What an observer is told when an operation, or one of its rounds, is over, or a wait: times of steady_clock.
struct Span {
  enum Kind : uint8_t { operation, round, wait } kind = operation;
  std::string_view name;  ///< "all_reduce ring", or the wait's name; valid during the call only
  int64_t sequence = -1;
  int64_t bytes = 0;  ///< of the buffer
  std::chrono::steady_clock::time_point begin, end;
  std::span<const Moved> moved = {};  ///< of an operation that is not native; valid during the call only
};

struct CommunicatorOptions {
  std::chrono::milliseconds deadline{60'000};  ///< of every wait that gives none
  int id = 0;                                  ///< equal on all members, different for communicators used at once
  std::string algorithm = "auto";              ///< of operations that name none
  std::vector<int> members;                    ///< transport ranks, in order; empty: all
  std::function<void(const Span&)> observe;    ///< for profiles; empty: nothing is timed
};

inline constexpr int kLargestMessageTag = 4095;

/// One message to or from a member of the group.
struct PeerMessage {
  enum Way : uint8_t { send, recv } way = send;
  int peer = 0;  ///< in the group
  Buffer buffer;
  int tag = 0;  ///< up to kLargestMessageTag
};

class RunningOperation;

/// Collectives for one rank of a group. Not thread safe: one thread communicates. All members start the same
/// operations in the same order. Several may be in flight; they progress, oldest first, whenever poll, test or wait is
/// called, and only then. All ranks end with the same bits.
class Communicator {
 public:
  explicit Communicator(Transport&, CommunicatorOptions = {});
  /// With operations still in flight this ends the rank for the others (Transport::abort): nobody may write into
  /// buffers that are about to go.
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// One for a group of this one's ranks, with its deadline, algorithm and observer. `id` as in the options.
  std::unique_ptr<Communicator> group(std::vector<int> members, int id) const;

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(members_.size()); }
  Transport& transport() { return transport_; }

  /// Starts an operation on a buffer of equal size on all members. `algorithm`: a row of collective::algorithms(),
  /// "auto" (see choose_algorithm), or empty for the communicator's own. Throws Failure("unsupported").
  Handle start(Operation, Buffer, Reduce = Reduce::sum, std::string_view algorithm = {}, int root = 0);
  /// With chunks of any size: chunk r is elements [bounds[r], bounds[r + 1]). A reduce_scatter or all_gather has one a
  /// member, equal on all; an all_to_all members x members (see collective::Operation), of which those that a member
  /// neither brings nor gets may be empty there. `bounds`, one more than chunks, must live as long as the buffer.
  Handle start_shards(Operation, Buffer, std::span<const int64_t> bounds);

  /// Starts messages that progress together. Both sides give the same size; those between two members with one
  /// tag are matched in the order in which they were started, whatever group they were started in. Members that have
  /// none here start nothing.
  Handle start(std::span<const PeerMessage>);

  /// Makes progress on everything in flight. Throws Failure("peer_lost").
  void poll();
  /// Polls, then whether the operation is complete.
  bool test(Handle);
  bool complete(Handle) const;
  /// Polls until the operation is complete. Throws Failure("peer_lost") when a rank failed, or when the deadline
  /// passes, which ends this rank for the others: the text says which rank waits for whom in which operation. `name` is
  /// what the caller is doing.
  void wait(Handle, std::string_view name);
  void wait(Handle, std::string_view name, std::chrono::milliseconds deadline);

  /// Starts and waits.
  void run(Operation, Buffer, std::string_view name, Reduce = Reduce::sum, std::string_view algorithm = {},
           int root = 0);
  void barrier(std::string_view name);

  /// Control values: the reduction of one value, and whether any member says so.
  double reduce_value(double value, Reduce, std::string_view name);
  bool any(bool value, std::string_view name);

  /// Of the transport, so of all its communicators together.
  const Counters& counters() const { return transport_.counters(); }

 private:
  bool spans_transport() const { return size() == transport_.size(); }
  std::string_view resolve(std::string_view algorithm, Operation, int64_t bytes) const;
  const collective::Program& program(std::string_view algorithm, Operation, int root);
  RunningOperation& add_running();
  Handle begin(Operation, Buffer, Reduce, std::string_view algorithm, int root, std::span<const int64_t> bounds);
  void poll_until(Handle, std::string_view name, std::chrono::milliseconds deadline);
  [[noreturn]] void give_up(Handle, std::string_view name, std::chrono::milliseconds deadline);
  std::string describe(Handle, std::string_view name) const;

  Transport& transport_;
  CommunicatorOptions options_;
  std::vector<int> members_;
  bool spins_;
  int rank_ = 0;
  int64_t next_ = 0, next_collective_ = 0;
  std::deque<std::unique_ptr<RunningOperation>> in_flight_;  // oldest first; a finished one waits for older ones
  std::vector<std::unique_ptr<RunningOperation>> idle_;      // to be used again
  std::map<std::string, collective::Program, std::less<>> programs_;
};

/// The algorithm that "auto" stands for; the table is in choose.cpp and in docs/collectives.md.
std::string_view choose_algorithm(Operation, int ranks, int64_t bytes, bool native_all_reduce);

}  // namespace lockstep::comm
