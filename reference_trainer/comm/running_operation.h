#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "reference_trainer/comm/communicator.h"

namespace lockstep::comm {

/// A started operation as a small state machine: it posts the transfers of a round, and when all are complete those of
/// the next. A native operation and a barrier are a single request.
class RunningOperation {
 public:
  struct Setup {
    int64_t sequence = 0;
    std::string_view name;                         ///< "all_reduce"; lives longer than the operation
    std::string_view algorithm;                    ///< likewise
    const collective::Program* program = nullptr;  ///< null: requests of the transport's own
    int rank = 0;                                  ///< in the group
    const std::vector<int>* members = nullptr;
    int tag = 0;
    Buffer buffer;
    std::span<const int64_t> bounds;  ///< of the chunks; empty: equal ones (chunk_range)
    Combine combine = Combine::sum;
  };
  using Observer = std::function<void(const Span&)>;

  /// With a program.
  void begin(Transport&, const Setup&, const Observer&);
  /// Without: complete when all requests are. `moved` is what they move.
  void begin(const Setup&, std::vector<Request>, const Observer&, std::vector<Moved> moved = {});
  /// Whatever progress is possible now; true when the operation is complete.
  bool advance(Transport&, const Observer&);

  bool complete() const { return complete_; }
  int64_t sequence() const { return setup_.sequence; }
  /// "all_reduce #17 (ring, round 2 of 6): receive from rank 0 of chunks 0+1, ..."
  std::string describe() const;

 private:
  using Clock = std::chrono::steady_clock;

  const std::vector<collective::Round>& rounds() const;
  void start_clock(const Observer&);
  std::vector<Moved> moved_by_program() const;
  collective::Range range_of(const collective::Transfer&) const;
  void post_round(Transport&);
  bool round_complete(Transport&);
  void report(const Observer&, Span::Kind, Clock::time_point begin) const;

  Setup setup_;
  size_t round_ = 0;
  std::vector<Request> requests_;  ///< of the round, in its order
  std::vector<bool> done_;
  bool complete_ = false;
  Clock::time_point begin_, round_begin_;
  std::vector<Moved> moved_;  ///< only where somebody observes
};

}  // namespace lockstep::comm
