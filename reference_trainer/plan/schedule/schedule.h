#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference_trainer/plan/text/action.h"

namespace lockstep::schedule {

using text::Action;
using text::ActionKind;
using Actions = std::vector<Action>;

/// What a generator is a function of.
struct Numbers {
  int ranks = 1;         ///< of the pipeline axis
  int microbatches = 1;  ///< a step; without flush: of the whole run
  int chunks = 1;        ///< stages a rank (interleaved's v)
  int per_update = 1;    ///< without flush: microbatches whose gradients make one update
};

/// `fixed`: every rank runs its list as it stands. `arrival`: the list is the initial priority; a rank runs the first
/// action of its list whose input is there, so the order is decided at run time and is exempt from bit identity.
enum class Order : uint8_t { fixed, arrival };

/// A pipeline schedule as data: each rank's ordered actions. Microbatches may travel in several directions (gems,
/// chimera: 2), each with a replica of all stages in a placement of its own; tied to it, a stage's parameters have as
/// many owners as there are directions.
struct Schedule {
  std::string name;
  Numbers numbers;
  std::vector<std::vector<int>> placement;  ///< [direction][stage] -> rank
  std::vector<int> direction;               ///< by microbatch; all 0 with one direction
  bool flushes = true;  ///< all microbatches end before the step does; false: updates stand in the lists
  Order order = Order::fixed;
  std::vector<Actions> ranks;

  int size() const { return static_cast<int>(ranks.size()); }
  int stages() const { return static_cast<int>(placement[0].size()); }
  int directions() const { return static_cast<int>(placement.size()); }
  /// The rank that does this stage of this microbatch.
  int rank_of(int stage, int64_t microbatch) const;
  /// True when the activation that `stage` makes goes to another rank.
  bool crosses(int stage, int64_t microbatch) const;
};

/// Stage s on rank s mod ranks: one direction, `chunks` stages a rank.
Schedule empty_schedule(std::string_view name, const Numbers& numbers);

/// An action that computes: F, B, I or W.
inline bool computes(ActionKind kind) { return kind <= ActionKind::W; }
inline bool sends(ActionKind kind) { return kind == ActionKind::SEND_F || kind == ActionKind::SEND_B; }
inline bool receives(ActionKind kind) { return kind == ActionKind::RECV_F || kind == ActionKind::RECV_B; }

/// Who is at the other end of a send or receive; -1 when the stage has no such border.
int peer_of(const Schedule& schedule, const Action& transfer);
/// The receive of a send, or the send of a receive.
Action partner_of(const Action& transfer);

/// The text form; prints what parse() reads:
///
///   schedule gpipe ranks=2 microbatches=2 chunks=1 per_update=1 flush=1 order=fixed
///   place 0 1
///   direction 0 0
///   rank 0F0 0F1 0B0 0B1
///   rank 1F0 1F1 1B0 1B1
///
/// one `place` a direction (the ranks of its stages), the direction of each microbatch, one `rank` a rank.
std::string print(const Schedule& schedule);
/// Throws Failure("usage") with the line of what is wrong. Whether the schedule works: check().
Schedule parse(std::string_view text);

}  // namespace lockstep::schedule
