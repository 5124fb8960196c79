#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reference_trainer/plan/collective/program.h"
#include "reference_trainer/plan/plan.h"
#include "reference_trainer/plan/work.h"

namespace lockstep::plan {

/// Calls of one operation on buffers of one size, as a rank makes them in a step.
struct Communication {
  std::string operation;   ///< "all_reduce", "send"
  std::string what;        ///< "activations", "gradients"
  std::string reader;      ///< "linear b0.fc2": the op that wants it; empty outside of graphs
  std::vector<Axis> axes;  ///< the ranks that take part differ on these
  int64_t bytes = 0;       ///< of the buffer of one call
  int64_t sent = 0;        ///< by this rank in one call
  int64_t calls = 0;
  bool control = false;  ///< whether all losses are finite, norms: not part of what a strategy is compared by
};

/// The algorithm that "auto" stands for; `all`: all ranks of the launch take part.
using Choice = std::function<std::string_view(collective::Operation operation, int ranks, int64_t bytes, bool all)>;

/// The least that any algorithm sends, which plans charge: `native` for an all_reduce, `direct` for the others.
std::string_view least(collective::Operation operation, int ranks, int64_t bytes, bool all);

/// Everything that the plan's rank sends in a step, found by walking its instructions as the interpreter does: exact,
/// with the sizes of its own parts and microbatches, when `choice` chooses as the launch does.
std::vector<Communication> communications(const Plan& plan, const Work& work, const Choice& choice = least);

/// Bytes in all; `control`: with what is marked so.
int64_t sent_in_all(const std::vector<Communication>& communications, bool control);

}  // namespace lockstep::plan
