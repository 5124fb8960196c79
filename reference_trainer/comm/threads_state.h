#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "reference_trainer/comm/shared_all_reduce.h"
#include "reference_trainer/comm/threads_transport.h"
#include "reference_trainer/comm/transport.h"

namespace lockstep::comm {

/// A posted send; it lives in its sender until it is taken.
struct Message {
  int tag = 0;
  Buffer buffer;
  std::atomic<bool> taken{false};
};

/// Messages of one sender for one receiver that are not taken yet, oldest first.
struct alignas(64) Channel {
  std::atomic<int> waiting{0};  ///< so that a receiver polls without the lock
  std::mutex mutex;
  std::deque<Message*> messages;
};

/// What the ranks of one threads world share.
struct ThreadsWorld::State {
  explicit State(int ranks);

  Channel& channel(int sender, int receiver) { return channels[static_cast<size_t>(sender * size + receiver)]; }
  /// Throws Failure("peer_lost") when a rank has failed.
  void check_failure(int rank) const {
    if (failed.load(std::memory_order_acquire) >= 0) [[unlikely]]
      throw_peer_lost(rank);
  }
  [[noreturn]] void throw_peer_lost(int rank) const;

  /// Whether a rank is touching memory of others.
  struct alignas(64) Presence {
    std::atomic<bool> touching{false};
  };

  int size;
  std::unique_ptr<Channel[]> channels;
  std::unique_ptr<Presence[]> presence;
  SharedAllReduce all_reduce;
  std::atomic<int> failed{-1};  ///< the rank that failed first

  mutable std::mutex mutex;  ///< of what follows
  std::string reason;
  std::vector<std::string> waiting_for;  ///< by rank; empty: nothing
};

/// Marks where a rank reads or writes memory of other ranks. A rank that fails first shows it in State::failed and then
/// waits until nobody is touching: either the other sees the failure, or the failing rank sees it touching.
class Touching {
 public:
  Touching(ThreadsWorld::State& state, int rank) : state_(state), rank_(rank) {}
  /// Throws Failure("peer_lost").
  void begin() {
    flag().store(true, std::memory_order_seq_cst);
    if (state_.failed.load(std::memory_order_seq_cst) >= 0) [[unlikely]] {
      end();
      state_.throw_peer_lost(rank_);
    }
  }
  void end() { flag().store(false, std::memory_order_release); }

 private:
  std::atomic<bool>& flag() { return state_.presence[static_cast<size_t>(rank_)].touching; }

  ThreadsWorld::State& state_;
  int rank_;
};

}  // namespace lockstep::comm
