#pragma once

#include "reference_trainer/comm/communicator.h"
#include "reference_trainer/train/engine.h"
#include "reference_trainer/train/feed.h"

namespace lockstep::train {

/// Sums over the held-out samples of all ranks.
struct Evaluation {
  double loss = 0;      ///< mean over positions, nat
  double accuracy = 0;  ///< right predictions / positions
  double bits_per_byte = 0;
  int64_t samples = 0;

  /// "test_loss", "test_accuracy" or "bits_per_byte"; throws Failure("usage") for any other name.
  double metric(std::string_view name) const;
};

/// Runs the forward ops over the held-out samples: rank d of D takes [d::D], so that each is counted once whatever the
/// number of ranks.
template <class Real>
class Evaluator {
 public:
  Evaluator(const graph::Graph& graph, const ModelState<Real>& state, const workloads::Workload& workload,
            const workloads::SafetensorsFile& data, EngineOptions options);

  Evaluation run(comm::Communicator& communicator, int data_index, int data_count, int64_t batch);

 private:
  const graph::Graph& graph_;
  const ModelState<Real>& state_;
  int64_t samples_;
  Engine<Real> engine_;
  Feed<Real> feed_;
};

}  // namespace lockstep::train
