#pragma once

#include <cstddef>
#include <vector>

#include "reference_trainer/plan/schedule/generators.h"
#include "reference_trainer/plan/schedule/schedule.h"

namespace lockstep::schedule {

/// How a border between ranks is crossed.
///
///   implied     the lists have no transfers; a result is there `transfer` after it was made
///   posted      a send leaves at once and takes its rank no time; a receive is posted, and whoever needs it waits
///   rendezvous  sender and receiver both wait until the other one is there, and both are busy for `transfer`: no
///   buffering
enum class Crossing : uint8_t { implied, posted, rendezvous };

struct Durations {
  std::vector<Times> stages;  ///< one for each stage, or one for all
  double transfer = 0;

  double of(const Action& action) const;
};

/// An action that ran: ranks[rank][index].
struct Event {
  int rank = 0;
  size_t index = 0;
  double start = 0, end = 0;
};

struct Walk {
  std::vector<Event> events;    ///< by start
  std::vector<size_t> reached;  ///< by rank: the action it is blocked at, or the length of its list
  bool finished = true;
};

/// Runs the lists, each action as soon as its rank is free and its input is there. Actions must name stages and
/// microbatches that exist (check() says so). Cost: O(actions x ranks).
Walk walk(const Schedule&, const Durations&, Crossing);

/// True when some list has a send or a receive.
bool has_transfers(const Schedule&);

/// Most activations (of a microbatch at a stage) that a rank holds at once in the order of its list: from F until B, or
/// until W where the backward is split.
int most_held(const Actions&);

}  // namespace lockstep::schedule
