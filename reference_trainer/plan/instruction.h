#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::plan {

/// One thing that the interpreter does. Which fields mean something is said beside each operation.
struct Instruction {
  enum Op : uint8_t {
    load,        ///< bind the inputs of `microbatch`
    run,         ///< ops [first, last) of the stage's graph
    accumulate,  ///< add the gradients that ops [first, last) made of the microbatch to the step's
    share,       ///< add up the gradients of parameters that several stages hold
    start,       ///< begin the exchange of bucket `first`: gradients
    gather,      ///< begin the exchange of bucket `first`: parameters, from each rank its updated shard
    wait,        ///< for the exchange of bucket `first`
    replicate,   ///< add up this rank's shard of bucket `first` over the groups that shard apart
    decide,      ///< all ranks together: is the loss finite? Without a flush each stage tells the one before
    probe,       ///< global gradient norm, for clipping and fingerprints
    update,      ///< optimizer step on all parameters
  };
  Op op = run;
  int32_t first = 0, last = 0;
  /// Of the step. Without a flush it is counted from the step's first one, and may be one of a later step.
  int32_t microbatch = -1;
  int16_t stage = 0;  ///< of load, run and accumulate: index into Plan::stages
  /// Of load and run: which of the stage's activation memories. Without a flush: microbatches take turns, see
  /// Plan::activation_slots.
  int16_t slot = 0;

  bool operator==(const Instruction&) const = default;
};

/// "run 0..12 m0", "start bucket 1": one text a instruction.
std::string print(const Instruction& instruction);
std::string print(const std::vector<Instruction>& program);

}  // namespace lockstep::plan
