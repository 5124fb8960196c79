#pragma once

#include <memory>

#include "reference_trainer/comm/transport.h"

namespace lockstep::comm {

/// Ranks that are threads of one process. Zero copy: the receiver reads the sender's buffer, and reduces straight from
/// it. Make one world, and from each rank's thread one endpoint, which the world outlives.
class ThreadsWorld {
 public:
  explicit ThreadsWorld(int size);
  ~ThreadsWorld();
  ThreadsWorld(const ThreadsWorld&) = delete;
  ThreadsWorld& operator=(const ThreadsWorld&) = delete;

  int size() const;
  std::unique_ptr<Transport> endpoint(int rank);
  /// The rank that failed first, or -1.
  int failed_rank() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace lockstep::comm
