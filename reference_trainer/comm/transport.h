#pragma once

#include <string>
#include <string_view>

#include "reference_trainer/comm/buffer.h"

namespace lockstep::comm {

/// A posted transfer of one endpoint; valid until test() returns true. A default one is complete.
struct Request {
  int slot = -1;
  bool complete() const { return slot < 0; }
};

/// What happens to received elements.
enum class Combine : uint8_t { replace, sum, max };

/// What an endpoint sent. Bytes of programs are counted; those of `native` are modelled: 2(p-1)/p N for N bytes on p
/// ranks, the fewest that any all-reduce sends.
struct Counters {
  int64_t bytes_sent = 0;
  int64_t messages = 0;
  int64_t modelled_bytes = 0;  ///< the part of bytes_sent that comes from the formula
};

/// Largest tag that every transport carries.
inline constexpr int kLargestTag = (1 << 23) - 1;

/// One rank's endpoint, used by one thread (MPI_THREAD_FUNNELED). Posts never block; test() makes progress. Messages
/// of one (sender, receiver, tag) are matched in the order in which they were posted, and both sides give the same
/// size; receives of one (sender, tag) are tested in the order in which they were posted.
///
/// When another rank has failed, test() throws Failure("peer_lost") that names it.
class Transport {
 public:
  Transport(int rank, int size, bool native_all_reduce)
      : rank_(rank), size_(size), native_all_reduce_(native_all_reduce) {}
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Whether post_all_reduce may be called: the algorithm `native`.
  bool native_all_reduce() const { return native_all_reduce_; }

  const Counters& counters() const { return counters_; }

  virtual Request post_send(int peer, int tag, Buffer) = 0;
  virtual Request post_recv(int peer, int tag, Buffer, Combine) = 0;
  /// In place over all ranks, which post these in the same order. The same bits on all ranks.
  virtual Request post_all_reduce(Buffer, Reduce) = 0;
  /// Complete when all ranks have posted theirs. Real on every transport, also where communication is left out.
  virtual Request post_barrier() = 0;

  /// Whether the request is complete (a default one is); the request is then freed and becomes a default one. Received
  /// elements are combined inside the call that returns true, so a caller decides the order of reductions.
  virtual bool test(Request&) = 0;

  /// Ends this rank for the others: their tests throw from now on. On return nobody touches this rank's buffers.
  /// Under MPI the whole launch ends when the environment is left, see MpiEnvironment.
  virtual void abort(std::string_view reason) = 0;

  /// Tells what this rank waits for (empty: nothing), and what all ranks are known to wait for, a line a rank: the
  /// hang report. A transport that cannot look at other ranks knows of its own only.
  virtual void set_waiting_for(std::string_view what) = 0;
  virtual std::string hang_report() const = 0;

 protected:
  void count_message(int64_t bytes) {
    counters_.bytes_sent += bytes;
    ++counters_.messages;
  }
  void count_native(int64_t bytes) {
    const int64_t sent = 2 * bytes * (size_ - 1) / size_;
    counters_.bytes_sent += sent;
    counters_.modelled_bytes += sent;
  }

 private:
  int rank_, size_;
  bool native_all_reduce_;
  Counters counters_;
};

}  // namespace lockstep::comm
