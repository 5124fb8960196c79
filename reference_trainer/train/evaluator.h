#pragma once

#include <array>
#include <memory>

#include "reference_trainer/train/trainer.h"

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

/// Runs the forward ops over the held-out samples: data index d of D takes [d::D], so that each is counted once
/// whatever the number of ranks.
template <class Real>
class Evaluator {
 public:
  /// With the weights that `trainer` has whenever it runs; the trainer outlives this.
  Evaluator(Trainer<Real>& trainer, const workloads::Workload& workload, const workloads::SafetensorsFile& data,
            EngineOptions options);

  /// All ranks call it; `batch` samples at once.
  Evaluation run(int64_t batch);

 private:
  Trainer<Real>& trainer_;
  int64_t samples_;
  /// By stage of this rank; of a pipeline in two directions those of the first.
  struct StageRun {
    size_t stage;
    std::unique_ptr<Engine<Real>> engine;
    std::unique_ptr<Feed<Real>> feed;
  };
  void run_stage(StageRun& stage, std::span<const int64_t> ids, kernels::StepContext& context,
                 std::array<double, 3>& sums);

  std::vector<StageRun> stages_;
};

}  // namespace lockstep::train
