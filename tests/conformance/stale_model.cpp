#include "tests/conformance/stale_model.h"

#include <algorithm>
#include <cmath>

#include "reference_trainer/kernels/update.h"
#include "reference_trainer/plan/describe.h"
#include "reference_trainer/plan/terms/check.h"
#include "reference_trainer/train/feed.h"
#include "reference_trainer/train/optimizer.h"

namespace lockstep::conformance {
namespace {

using Numbers = std::vector<double>;

/// How many updates stage `stage` has done when it does the forward, and the backward, of each microbatch.
struct Updates {
  std::vector<int64_t> at_forward, at_backward;
};

/// 1F1B: so many forwards as there are stages behind, then a forward and a backward in turn.
Updates walk_stage(int stages, int stage, int per_update, int64_t microbatches) {
  Updates out;
  int64_t done = 0, forwards = 0;
  const auto forward = [&] {
    if (forwards++ < microbatches) out.at_forward.push_back(done);
  };
  for (int k = 0; k < stages - 1 - stage; ++k) forward();
  for (int64_t m = 0; m < microbatches; ++m) {
    forward();
    out.at_backward.push_back(done);
    if ((m + 1) % per_update == 0) ++done;
  }
  return out;
}

/// Of a microbatch at a stage: the version of its forward, over how many updates it is extrapolated, and the version of
/// its backward.
struct Use {
  int64_t forward = 0, ahead = 0, backward = 0;
};

class StaleModel {
 public:
  StaleModel(const Setting& setting, const text::Strategy& strategy, int64_t stretch)
      : setting_(setting),
        workload_(setting.workload()),
        plan_(plan::make_plan(setting.graph(), terms::serial_of(strategy), {8, true, 0})),
        state_(plan_, workloads::optimizer_arrays(workload_.recipe.optimizer)),
        engine_(0, state_, {&kernels::kernel_set("naive", kernels::Precision::fp64), kernels::Precision::fp64, 1}),
        data_(setting.data()),
        order_(setting.order()),
        feed_(plan_.stages[0].graph(), workload_, data_, "train"),
        stages_(strategy.size(plan::Axis::pp)),
        data_ranks_(strategy.size(plan::Axis::dp)),
        stretch_(stretch) {
    const text::Term& term = *strategy.find_pass("pipedream");
    rule_ = term.find("weights") ? *term.find("weights") : "stash";
    per_update_ = term.whole("m", rule_ == "2bw" ? stages_ : 1);
    for (int rank : plan::first_ranks(plan::Mesh(strategy.axes))) {
      const plan::Plan cut = plan::make_plan(setting.graph(), strategy, {8, true, rank});
      together_ = cut.samples_together;
      for (const plan::Slot& slot : cut.slots) stage_of_[slot.index] = cut.stages[slot.stage].index;
    }
    state_.load_parameters(workloads::SafetensorsFile(setting.init()));
  }

  TrainingRun run() {
    for (int64_t begin = 0; begin < workload_.steps; begin += std::min(stretch_, workload_.steps - begin))
      run_stretch(begin, std::min(begin + stretch_, workload_.steps));
    for (graph::TensorId id : plan_.whole.parameters) {
      for (const plan::Slot& slot : plan_.slots) {
        if (plan_.whole.parameters[slot.index] != id) continue;
        const auto values =
            state_.parameters().subspan(static_cast<size_t>(slot.offset), static_cast<size_t>(slot.count));
        out_.parameters.insert(out_.parameters.end(), values.begin(), values.end());
      }
    }
    return std::move(out_);
  }

 private:
  void run_stretch(int64_t begin, int64_t end) {
    updates_.clear();
    for (int s = 0; s < stages_; ++s)
      updates_.push_back(walk_stage(stages_, s, per_update_, (end - begin) * per_update_));
    weights_ = {copy(state_.parameters())};
    velocities_ = {velocity()};
    for (int64_t step = begin; step < end; ++step) {
      run_step(begin, step);
      weights_.push_back(copy(state_.parameters()));
      velocities_.push_back(velocity());
    }
  }

  void run_step(int64_t begin, int64_t step) {
    const auto offsets = order_.at("offsets").values<int64_t>();
    const auto first = static_cast<size_t>(offsets[static_cast<size_t>(step)]),
               last = static_cast<size_t>(offsets[static_cast<size_t>(step) + 1]);
    const auto ids = order_.at("indices").values<int64_t>().subspan(first, last - first);
    kernels::StepContext context;
    context.step = step;
    context.seed = workload_.recipe.seed;
    context.loss_scale = 1 / static_cast<double>(static_cast<int64_t>(ids.size()) * plan_.whole.positions_per_sample);
    Numbers sum(state_.gradients().size(), 0);
    double loss = 0;
    for (int part = 0; part < per_update_; ++part) {
      const std::vector<int64_t> samples = samples_of(ids, part);
      if (!samples.empty()) loss += run_microbatch(begin, (step - begin) * per_update_ + part, samples, context, sum);
    }
    out_.losses.push_back(loss);
    std::ranges::copy(weights_.back(), state_.parameters().begin());
    std::ranges::copy(sum, state_.gradients().begin());
    out_.gradient_norms.emplace_back();
    for (const plan::Slot& slot : plan_.slots) {
      out_.gradient_norms.back()[plan_.whole.tensor(plan_.whole.parameters[slot.index]).name] =
          std::sqrt(kernels::sum_of_squares(sum.data() + slot.offset, slot.count));
    }
    train::update(train::optimizer(workload_.recipe.optimizer), state_, workload_.recipe, {step, rate(step), 1},
                  [] { return train::TensorSums(); });
  }

  /// Its part of the step's loss; gradients are added to `sum`.
  double run_microbatch(int64_t begin, int64_t microbatch, const std::vector<int64_t>& samples,
                        kernels::StepContext& context, Numbers& sum) {
    const graph::Graph& graph = plan_.stages[0].graph();
    context.samples = static_cast<int64_t>(samples.size());
    train::Bound& bound = engine_.bound(context.samples, true, {state_.parameters(), state_.gradients()});
    feed_.fill(engine_, bound, samples);
    for (const plan::Slot& slot : plan_.slots) {
      const Use use = use_of(stage_of_.at(slot.index), microbatch);
      put(slot, use.forward, use.ahead, begin);
    }
    for (int32_t op = 0; op < graph.forward_ops; ++op) bound.executable->run(op, context);
    for (const plan::Slot& slot : plan_.slots)
      put(slot, use_of(stage_of_.at(slot.index), microbatch).backward, 0, begin);
    for (auto op = graph.forward_ops; op < static_cast<int32_t>(graph.ops.size()); ++op)
      bound.executable->run(op, context);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += state_.gradients()[i];
    return engine_.metric(bound, graph.loss);
  }

  Use use_of(int stage, int64_t microbatch) const {
    const auto m = static_cast<size_t>(microbatch);
    const Updates& here = updates_[static_cast<size_t>(stage)];
    if (rule_ == "vertical") return {updates_[0].at_forward[m], 0, updates_[0].at_forward[m]};
    if (rule_ == "2bw") {
      // w(t+1) = w(t) - rate x gradient at w(t-1)
      const int64_t before = std::max<int64_t>(microbatch / per_update_ - 1, 0);
      return {before, 0, before};
    }
    if (rule_ == "predict") return {here.at_forward[m], here.at_backward[m] - here.at_forward[m], here.at_backward[m]};
    return {here.at_forward[m], 0, here.at_forward[m]};
  }

  /// A parameter as it was after `version` updates of the stretch, or will be after `ahead` more along its velocity.
  void put(const plan::Slot& slot, int64_t version, int64_t ahead, int64_t begin) {
    double rates = 0;
    for (int64_t k = 0; k < ahead; ++k) rates += rate(begin + version + k);
    const Numbers &w = weights_[static_cast<size_t>(version)], &v = velocities_[static_cast<size_t>(version)];
    for (auto i = static_cast<size_t>(slot.offset); i < static_cast<size_t>(slot.offset + slot.count); ++i)
      state_.parameters()[i] = ahead > 0 ? w[i] - rates * v[i] : w[i];
  }

  /// What all data-parallel ranks take as this part of a step.
  std::vector<int64_t> samples_of(std::span<const int64_t> ids, int part) const {
    std::vector<int64_t> samples;
    for (int rank = 0; rank < data_ranks_; ++rank) {
      std::vector<int64_t> share;
      for (auto i = static_cast<size_t>(rank); i < ids.size(); i += static_cast<size_t>(data_ranks_))
        share.push_back(ids[i]);
      const auto count = static_cast<int64_t>(share.size());
      for (int64_t i = plan::microbatch_begin(count, part, per_update_, together_);
           i < plan::microbatch_begin(count, part + 1, per_update_, together_); ++i)
        samples.push_back(share[static_cast<size_t>(i)]);
    }
    return samples;
  }

  double rate(int64_t step) const { return train::learning_rate(workload_.recipe, step, workload_.steps); }
  static Numbers copy(std::span<const double> values) { return {values.begin(), values.end()}; }
  Numbers velocity() const { return state_.optimizer_arrays() > 0 ? copy(state_.optimizer_array(0)) : Numbers(); }

  const Setting& setting_;
  const workloads::Workload& workload_;
  const plan::Plan plan_;
  train::ModelState<double> state_;
  train::Engine<double> engine_;
  const workloads::SafetensorsFile data_, order_;
  const train::Feed<double> feed_;
  const int stages_, data_ranks_;
  const int64_t stretch_;
  std::string rule_;
  int per_update_ = 1;
  int64_t together_ = 1;                       ///< samples that a microbatch takes all or none of
  std::map<size_t, int> stage_of_;             ///< by index of the parameter
  std::vector<Updates> updates_;               ///< by stage, of the stretch
  std::vector<Numbers> weights_, velocities_;  ///< by version, of the stretch
  TrainingRun out_;
};

}  // namespace

TrainingRun train_stale_model(const Setting& setting, const std::string& strategy, int64_t stretch) {
  return StaleModel(setting, text::parse_strategy(strategy), stretch).run();
}

}  // namespace lockstep::conformance
