#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "profiler/recorder/recorder.h"
#include "reference_trainer/comm/communicator.h"
#include "reference_trainer/plan/plan.h"
#include "reference_trainer/train/engine.h"
#include "reference_trainer/train/exchanger.h"
#include "reference_trainer/train/feed.h"
#include "reference_trainer/train/gradients.h"
#include "reference_trainer/train/groups.h"
#include "reference_trainer/train/loss_scale.h"
#include "reference_trainer/train/norms.h"
#include "reference_trainer/train/optimizer.h"

namespace lockstep::train {

struct TrainerOptions {
  EngineOptions engine;
  profiler::Recorder* recorder = nullptr;
  double gradient_fault = 1;  ///< multiplies gradients: a deliberate fault, for tests of the proof of equal work
  std::filesystem::path offload_folder = std::filesystem::temp_directory_path();  ///< for offloaded arrays
};

/// Steps [begin, end) that follow one another, with the sample ids of the whole job of each, which stay where they are.
/// A pipeline without a flush fills when they begin, runs from one step into the next, and is empty after the last one:
/// its numbers depend on where stretches end. All ranks have the same.
struct Stretch {
  int64_t begin = 0, end = 0;
  std::function<std::span<const int64_t>(int64_t step)> ids;
};

struct StepResult {
  int64_t samples = 0, positions = 0;  ///< of this rank
  double loss = 0;                     ///< mean over the positions whose loss this rank computed; 0 without any
  int64_t loss_positions = 0;          ///< how many these are: with a pipeline only its last stage has the loss
  int64_t bytes_sent = 0, messages = 0;
  int64_t dropped = 0;   ///< choices of experts that found no place, by the tokens that this rank routed
  bool skipped = false;  ///< scaled gradients overflowed, so nothing was updated
};

/// One rank's training: the interpreter of a plan's instructions. The optimizer steps that it does are the same,
/// whatever the number of ranks; without a flush those of the rule that its plan says.
template <class Real>
class Trainer {
 public:
  /// `communicator` spans all ranks of the plan; not used by one rank. The data file and the plan must outlive this.
  Trainer(const plan::Plan& plan, const workloads::Workload& workload, const workloads::SafetensorsFile& data,
          comm::Communicator& communicator, TrainerOptions options);

  ModelState<Real>& state() { return state_; }
  const plan::Plan& plan() const { return plan_; }
  Groups& groups() { return groups_; }
  LossScale& loss_scale() { return loss_scale_; }
  /// What carries out the communication of a stage's graph.
  Exchanger<Real>& exchanger(size_t stage) { return *stages_[stage].exchanger; }
  /// L2 norm of each whole parameter. All ranks call it.
  Norms parameter_norms();
  int64_t arena_bytes() const;

  /// What step() does from now on. The stretch before it must be over. Steps count from 0.
  void begin(Stretch stretch);
  /// The stretch's next step. With `gradients` the norms of the reduced gradients, before clipping, are left there.
  /// Throws Failure("non_finite_loss") on all ranks of the same step.
  StepResult step(Norms* gradients = nullptr);
  /// All steps of the stretch are done.
  bool stretch_is_over() const { return next_ == stretch_.end; }
  /// No microbatch is in flight: then the parameters are those of one step, and may be evaluated and saved.
  bool is_drained() const { return plan_.flushes() || stretch_is_over(); }

 private:
  void execute(const plan::Instruction& instruction);
  void run_microbatches_by_arrival();
  /// What a stage of the model needs on this rank. `bound`: by activation memory; nullptr: the microbatch has no
  /// samples.
  struct StageRun {
    std::unique_ptr<Exchanger<Real>> exchanger;
    std::unique_ptr<Engine<Real>> engine;
    std::unique_ptr<Feed<Real>> feed;
    std::vector<uint32_t> op_names;
    std::vector<Bound*> bound;
  };

  /// A step that some microbatch of has begun.
  struct StepInFlight {
    int64_t step = 0;
    std::span<const int64_t> ids;  ///< of the whole job's samples
    std::vector<int64_t> share;    ///< of this rank's
    int64_t positions = 0;         ///< of the global batch
    double loss_sum = 0;           ///< of this rank, as its part of the mean over the global batch
    int64_t loss_positions = 0;
    int64_t dropped = 0;
  };

  StepInFlight& current() { return in_flight_steps_.front(); }
  StepInFlight* step_ahead(size_t ahead);
  StepInFlight* step_of(const plan::Instruction& instruction) {
    return step_ahead(static_cast<size_t>(std::max(instruction.microbatch, 0) / plan_.microbatches));
  }
  int64_t number_of(const plan::Instruction& instruction) const;
  Bound*& bound_of(const plan::Instruction& instruction);
  std::span<Real> weights_of(const plan::Instruction& instruction);
  void set_prediction(const plan::Instruction& instruction);
  void begin_half(const plan::Instruction& instruction, const Bound* bound);
  StepResult result_of(const StepInFlight& step, const comm::Counters& before);
  double rate_of(int64_t step) const;
  StageRun& stage_of(const plan::Instruction& instruction) { return stages_[static_cast<size_t>(instruction.stage)]; }
  std::vector<StageRun> stage_runs(const workloads::SafetensorsFile& data);
  void load(const plan::Instruction& instruction);
  void run(const plan::Instruction& instruction);
  void decide();
  void leave_together();
  void probe();
  void apply();
  /// `valid`: the part of the parameters whose values are final.
  std::vector<double> parameter_sums(const plan::Held& valid);
  std::vector<double> gradient_sums();
  double global_norm();
  bool another_is_not_finite();
  void unscale();

  const plan::Plan& plan_;
  const workloads::Workload& workload_;
  Groups groups_;
  TrainerOptions options_;
  const OptimizerRow& optimizer_;
  ModelState<Real> state_;
  Gradients<Real> gradients_;
  LossScale loss_scale_;

  std::vector<StageRun> stages_;
  uint32_t track_ = 0, load_name_ = 0, update_name_ = 0;

  Stretch stretch_;
  int64_t next_ = 0;                          ///< the step that step() does
  std::deque<StepInFlight> in_flight_steps_;  ///< from that one on

  // Of the step in progress.
  std::vector<int64_t> fed_;  ///< what a microbatch is filled with: its samples, then padding
  kernels::StepContext context_;
  double norm_ = 0;
  Norms* gradient_norms_ = nullptr;
  bool overflowed_ = false;
};

}  // namespace lockstep::train
