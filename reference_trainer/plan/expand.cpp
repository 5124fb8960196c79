#include "reference_trainer/plan/expand.h"

namespace lockstep::plan {
namespace {

using text::ActionKind;

void backward(const Plan& plan, int32_t m, std::vector<Instruction>& body) {
  int32_t from = plan.local.graph.forward_ops;
  const int32_t end = static_cast<int32_t>(plan.local.graph.ops.size());
  if (plan.scatters_in_backward()) {
    body.push_back({Instruction::run, from, end, m});
    return;
  }
  if (m + 1 == plan.microbatches && plan.microbatches == 1) {
    for (size_t b = 0; b < plan.buckets.size(); ++b) {
      const int32_t ready = plan.buckets[b].ready_after + 1;
      if (ready > from) body.push_back({Instruction::run, from, ready, m});
      from = std::max(from, ready);
      body.push_back({Instruction::start, static_cast<int32_t>(b), 0, -1});
    }
  }
  if (end > from) body.push_back({Instruction::run, from, end, m});
  if (plan.microbatches == 1) return;
  body.push_back({Instruction::accumulate, 0, 0, m});
  if (m + 1 < plan.microbatches) return;
  for (size_t b = 0; b < plan.buckets.size(); ++b) body.push_back({Instruction::start, static_cast<int32_t>(b), 0, -1});
}

/// Of every bucket the shards that each rank has updated go to all.
void gather_all(const Plan& plan, std::vector<Instruction>& body) {
  const auto buckets = static_cast<int32_t>(plan.buckets.size());
  for (int32_t b = 0; b < buckets; ++b) body.push_back({Instruction::gather, b, 0, -1});
  for (int32_t b = 0; b < buckets; ++b) body.push_back({Instruction::wait, b, 0, -1});
}

}  // namespace

std::vector<text::Action> step_actions(int microbatches, bool exchanges) {
  std::vector<text::Action> actions;
  for (int m = 0; m < microbatches; ++m) {
    actions.push_back({0, ActionKind::F, m});
    actions.push_back({0, ActionKind::B, m});
  }
  if (exchanges) actions.push_back({0, ActionKind::REDUCE, -1});
  actions.push_back({0, ActionKind::STEP, -1});
  return actions;
}

std::vector<Instruction> expand(const Plan& plan) {
  std::vector<Instruction> body;
  for (const text::Action& action : plan.actions) {
    const int32_t m = static_cast<int32_t>(action.microbatch);
    switch (action.kind) {
      case ActionKind::F:
        body.push_back({Instruction::load, 0, 0, m});
        body.push_back({Instruction::run, 0, plan.local.graph.forward_ops, m});
        break;
      case ActionKind::B:
        backward(plan, m, body);
        break;
      case ActionKind::REDUCE:
        for (size_t b = 0; b < plan.buckets.size(); ++b)
          body.push_back({Instruction::wait, static_cast<int32_t>(b), 0, -1});
        break;
      case ActionKind::STEP:
        body.push_back({Instruction::decide, 0, 0, -1});
        body.push_back({Instruction::probe, 0, 0, -1});
        body.push_back({Instruction::update, 0, 0, -1});
        if (plan.gathers_after_update()) gather_all(plan, body);
        break;
      default:
        break;  // kinds of pipelines and shards: step_actions makes none
    }
  }
  return body;
}

}  // namespace lockstep::plan
