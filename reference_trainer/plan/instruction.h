#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::plan {

/// One thing that the interpreter does. Which fields mean something is said beside each operation.
struct Instruction {
  enum Op : uint8_t {
    load,        ///< bind the inputs of `microbatch`
    run,         ///< graph ops [first, last)
    accumulate,  ///< add the microbatch's gradients to the step's
    start,       ///< begin the exchange of bucket `first`: gradients
    gather,      ///< begin the exchange of bucket `first`: parameters, from each rank its updated shard
    wait,        ///< for the exchange of bucket `first`
    decide,      ///< all ranks together: is the loss finite?
    probe,       ///< global gradient norm, for clipping and fingerprints
    update,      ///< optimizer step on all parameters
  };
  Op op = run;
  int32_t first = 0, last = 0;
  int32_t microbatch = -1;

  bool operator==(const Instruction&) const = default;
};

/// "run 0..12 m0", "start bucket 1": one text a instruction.
std::string print(const Instruction& instruction);
std::string print(const std::vector<Instruction>& program);

}  // namespace lockstep::plan
