#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/supervisor/order.h"

namespace lockstep::supervisor {

/// Follows the events files of a launch to see how far each rank is: only kinds of events are looked at, whatever else
/// the lines hold. A rank that prints rubbish is alive but makes no progress, so it meets the deadline of its phase.
class Watch {
 public:
  /// `now` in seconds on any steady clock, the same in all calls.
  Watch(const std::string& folder, const Order& order, double now);

  /// Reads what was appended. Returns the deadline that has passed ("start", "prepare", ...), or empty.
  std::string poll(double now);

  /// With a passed deadline: "rank 1 waits for its next step event: 12.0 s, deadline 10.0 s".
  const std::string& waiting() const { return waiting_; }

 private:
  enum class Phase : uint8_t { start, prepare, train, stop };
  struct Rank {
    std::string path;
    int64_t offset = 0;
    std::string tail;  ///< a line that has no end yet
    Phase phase = Phase::start;
    double since = 0;  ///< when the phase began, or the last step came
    double heard = 0;  ///< when the file last grew
  };

  void read(Rank& rank, double now) const;
  std::string passed(size_t index, double now);
  static void advance(Rank& rank, const std::string& line, double now);

  std::vector<Rank> ranks_;
  Deadlines deadlines_;
  double began_ = 0;
  std::string waiting_;
};

}  // namespace lockstep::supervisor
