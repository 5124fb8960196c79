#include "reference_trainer/plan/expand.h"

#include <algorithm>

#include "adapters/contract/invariant.h"
#include "reference_trainer/plan/schedule/periodic.h"

namespace lockstep::plan {
namespace {

using text::ActionKind;

class Instructions {
 public:
  explicit Instructions(Plan& plan) : plan_(plan), held_(plan.stages.size()) {}

  std::vector<Instruction> run(const std::vector<text::Action>& actions) {
    body_.clear();
    for (const text::Action& action : actions) expand(action);
    return body_;
  }

  /// By stage: activation memories that are in use at once.
  std::vector<int> slots() const {
    std::vector<int> out;
    for (size_t k = 0; k < held_.size(); ++k)
      out.push_back(plan_.stale ? plan_.stale->ranks - plan_.stages[k].index : static_cast<int>(held_[k].size()));
    return out;
  }

 private:
  void expand(const text::Action& action) {
    const auto m = static_cast<int32_t>(action.microbatch);
    switch (action.kind) {
      case ActionKind::F:
        return forward(stage_of(action), m);
      case ActionKind::B:
        return backward(stage_of(action), m);
      case ActionKind::I:
        return part_of_backward(stage_of(action), m, forward_ops(stage_of(action)), input_end(stage_of(action)));
      case ActionKind::W: {
        const size_t k = stage_of(action);
        part_of_backward(k, m, input_end(k), plan_.stages[k].end());
        return release(k, m);
      }
      case ActionKind::REDUCE:
        return reduce();
      case ActionKind::STEP:
        return end_step();
      default:
        return;  // sends and receives are ops of the stages' graphs
    }
  }

  int32_t forward_ops(size_t k) const { return plan_.stages[k].graph().forward_ops; }
  int32_t input_end(size_t k) const { return plan_.stages[k].input_end; }

  /// The stage here that an action means; of two directions that in which the microbatch travels.
  size_t stage_of(const text::Action& action) const {
    for (size_t k = 0; k < plan_.stages.size(); ++k) {
      const Stage& stage = plan_.stages[k];
      const bool same_way =
          !plan_.schedule || plan_.schedule->direction[static_cast<size_t>(action.microbatch)] == stage.direction;
      if (stage.index == action.stage && same_way) return k;
    }
    return 0;
  }

  /// The lowest activation memory of a stage that is free; in order of arrival each microbatch has its own; without a
  /// flush microbatches take turns, by their number in the run.
  void take(size_t k, int32_t m) {
    if (plan_.stale) return;
    auto& held = held_[k];
    if (plan_.by_arrival()) held.resize(static_cast<size_t>(plan_.microbatches), -1);
    auto free = plan_.by_arrival() ? held.begin() + m : std::ranges::find(held, -1);
    if (free == held.end()) free = held.insert(held.end(), -1);
    *free = m;
  }
  int16_t slot_of(size_t k, int32_t m) const {
    if (plan_.stale) return 0;
    return static_cast<int16_t>(std::ranges::find(held_[k], m) - held_[k].begin());
  }
  void release(size_t k, int32_t m) { std::ranges::replace(held_[k], m, -1); }

  void add(Instruction::Op op, int32_t first, int32_t last, int32_t m, size_t k) {
    body_.push_back({op, first, last, m, static_cast<int16_t>(k), slot_of(k, m)});
  }

  void forward(size_t k, int32_t m) {
    take(k, m);
    add(Instruction::load, 0, 0, m, k);
    add(Instruction::run, 0, forward_ops(k), m, k);
  }

  void part_of_backward(size_t k, int32_t m, int32_t first, int32_t last) {
    if (first == last) return;
    add(Instruction::run, first, last, m, k);
    if (plan_.adds_gradients()) add(Instruction::accumulate, first, last, m, k);
  }

  /// With one microbatch and one stage a bucket starts as soon as its last gradient is there.
  void backward(size_t k, int32_t m) {
    int32_t from = forward_ops(k);
    const int32_t end = plan_.stages[k].end();
    if (!plan_.adds_gradients() && !plan_.scatters_in_backward() && plan_.shared.empty()) {
      for (size_t b = 0; b < plan_.buckets.size(); ++b) {
        const int32_t ready = plan_.buckets[b].ready_after + 1;
        if (ready > from) add(Instruction::run, from, ready, m, k);
        from = std::max(from, ready);
        start(b);
      }
    }
    part_of_backward(k, m, from, end);
    release(k, m);
  }

  void start(size_t bucket) {
    body_.push_back({Instruction::start, static_cast<int32_t>(bucket), 0, -1});
    ++started_;
  }

  void reduce() {
    if (!plan_.shared.empty()) body_.push_back({Instruction::share, 0, 0, -1});
    const auto buckets = static_cast<int32_t>(plan_.buckets.size());
    if (!plan_.scatters_in_backward()) {
      for (size_t b = started_; b < plan_.buckets.size(); ++b) start(b);
      for (int32_t b = 0; b < buckets; ++b) body_.push_back({Instruction::wait, b, 0, -1});
    }
    for (int32_t b = 0; plan_.has_shard_replicas() && b < buckets; ++b)
      body_.push_back({Instruction::replicate, b, 0, -1});
  }

  void end_step() {
    body_.push_back({Instruction::decide, 0, 0, -1});
    body_.push_back({Instruction::probe, 0, 0, -1});
    body_.push_back({Instruction::update, 0, 0, -1});
    if (plan_.gathers_after_update()) gather_all();
  }

  /// Of every bucket the shards that each rank has updated go to all.
  void gather_all() {
    const auto buckets = static_cast<int32_t>(plan_.buckets.size());
    for (int32_t b = 0; b < buckets; ++b) body_.push_back({Instruction::gather, b, 0, -1});
    for (int32_t b = 0; b < buckets; ++b) body_.push_back({Instruction::wait, b, 0, -1});
  }

  Plan& plan_;
  std::vector<std::vector<int32_t>> held_;  ///< by stage and activation memory: the microbatch there, -1: none
  size_t started_ = 0;
  std::vector<Instruction> body_;
};

void end(std::vector<text::Action>& actions, bool exchanges) {
  if (exchanges) actions.push_back({0, ActionKind::REDUCE, -1});
  actions.push_back({0, ActionKind::STEP, -1});
}

}  // namespace

std::vector<text::Action> step_actions(int microbatches, bool exchanges) {
  std::vector<text::Action> actions;
  for (int m = 0; m < microbatches; ++m) {
    actions.push_back({0, ActionKind::F, m});
    actions.push_back({0, ActionKind::B, m});
  }
  end(actions, exchanges);
  return actions;
}

void set_pipeline_actions(Plan& plan, bool exchanges) {
  const auto self = static_cast<size_t>(plan.mesh.coordinate(plan.rank, Axis::pp));
  if (plan.flushes()) {
    plan.actions = plan.schedule->ranks[self];
    return end(plan.actions, exchanges);
  }
  schedule::Schedule computations = *plan.schedule;  // transfers would blur where the body begins
  for (schedule::Actions& list : computations.ranks)
    std::erase_if(list, [](const text::Action& a) { return schedule::sends(a.kind) || schedule::receives(a.kind); });
  const schedule::Periodic folded = schedule::fold(computations)[self];
  LOCKSTEP_INVARIANT(folded.repetitions > 0, "{} repeats nothing", text::print(computations.ranks[self]));
  plan.fill = folded.prologue;
  plan.actions.clear();
  for (const text::Action& action : folded.body) {
    if (action.kind != ActionKind::STEP) plan.actions.push_back(action);
  }
  end(plan.actions, exchanges);
}

void expand(Plan& plan) {
  Instructions instructions(plan);
  plan.prologue = instructions.run(plan.fill);
  plan.body = instructions.run(plan.actions);
  plan.activation_slots = instructions.slots();
  if (!plan.stale) return;
  // Where forwards run ahead, a prediction needs memory of its own beside the newest weights.
  const int stage = plan.stages.front().index;
  const bool ahead = plan.predicts() && stage + 1 < plan.stale->ranks;
  plan.weight_copies = schedule::versions_kept(*plan.stale, stage) + (ahead ? 1 : 0);
}

}  // namespace lockstep::plan
