#pragma once

#include <cstdint>
#include <vector>

#include "reference_trainer/graph/graph.h"
#include "reference_trainer/plan/stages/cut.h"

namespace lockstep::stages {

/// What a cut is judged by.
struct Problem {
  int stages = 1;
  std::vector<double> op_cost;  ///< of each forward op with its backward, any unit: flop_costs(), or measured
  double byte_cost = 0;         ///< of a byte over a border, in that unit
  int64_t batch = 1;            ///< samples a microbatch
  int64_t real_bytes = 4;
  int64_t memory_limit = 0;      ///< bytes a stage; 0: none
  int64_t parameter_copies = 4;  ///< parameter, gradient, two moments of the optimizer
  std::vector<int> in_flight;    ///< microbatches whose activations a stage holds, by stage; empty: 1 each

  int64_t held(int stage) const { return in_flight.empty() ? 1 : in_flight[static_cast<size_t>(stage)]; }
  int64_t kept_by_parameters(int64_t elements) const { return elements * real_bytes * parameter_copies; }
};

struct Balance {
  Cut cut;
  std::vector<double> cost;     ///< by stage: its ops, and its borders there and back
  std::vector<int64_t> memory;  ///< by stage: parameters x copies + activations x microbatches held
  double slowest = 0;
};

/// Costs and memory of a cut.
Balance judge(const graph::Graph&, const Problem&, const Cut&);

/// The cut whose slowest stage is fastest, of all legal ones within the memory limit: exact, by a dynamic program over
/// (stages, op) in O(stages x cuts^2) after the judging of O(stages x cuts^2) stages. PipeDream's planner (Narayanan et
/// al. 2019) is this without the limit and with replication.
///
/// Throws Failure("unsupported") when there are too few legal cuts, or none within the limit: it names the least limit
/// that can be kept.
Balance balance(const graph::Graph&, const Problem&);

/// At most `most` cuts from the one of balance() on, slower and smaller from one to the next: each is the fastest of
/// those whose largest stage needs less than that of the one before. For whoever measures memory by a better model than
/// `memory_limit` does. Throws as balance() does.
std::vector<Balance> fastest_by_memory(const graph::Graph&, const Problem&, int most);

/// Equal numbers of layers (Megatron-LM, DeepSpeed), for comparison. A layer is a block: ops whose names agree up to
/// the first dot, several of which read parameters; what stands before the first block and behind the last one goes
/// with them. With fewer blocks than stages, everything with parameters is a layer. Cuts that are not legal move to the
/// nearest legal op. Ignores costs and limit.
Balance equal_layers(const graph::Graph&, const Problem&);

}  // namespace lockstep::stages
