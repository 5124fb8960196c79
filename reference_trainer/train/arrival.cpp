#include "reference_trainer/train/arrival.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace lockstep::train {
namespace {

using plan::Instruction;

/// So long nothing may arrive before a rank waits for the first task of its list, whose deadline and report then
/// count.
constexpr std::chrono::milliseconds kIdle{200};

/// A forward or backward: instructions [first, last) of the body, and the receive it begins with.
struct Task {
  size_t first = 0, last = 0;
  const graph::Op* receive = nullptr;
  bool is_forward = true, done = false;
};

const graph::Op* receive_at(const graph::Graph& graph, int32_t op) {
  const graph::Op& it = graph.ops[static_cast<size_t>(op)];
  return it.kind == graph::OpKind::receive ? &it : nullptr;
}

/// The tasks of a step, in the order of the list.
class TaskList {
 public:
  /// The body up to where it is no longer of any microbatch.
  explicit TaskList(const plan::Plan& plan) : plan_(plan) {
    for (size_t i = 0; i < plan.body.size() && plan.body[i].microbatch >= 0; ++i) {
      const Instruction& it = plan.body[i];
      const graph::Graph& graph = plan.stages[static_cast<size_t>(it.stage)].graph();
      const bool is_forward = it.op == Instruction::load;
      if (is_forward || (it.op == Instruction::run && it.first == graph.forward_ops))
        tasks.push_back({i, i, receive_at(graph, is_forward ? 0 : graph.forward_ops), is_forward, false});
      tasks.back().last = i + 1;
    }
  }

  const Instruction& begin_of(const Task& task) const { return plan_.body[task.first]; }

  /// The first task that can run, when `arrived` (of an instruction and its receive) says so.
  template <class Arrived>
  Task* first(const Arrived& arrived) {
    for (Task& task : tasks) {
      const bool in_order = !task.done && (task.is_forward || forward_is_done(task));
      if (in_order && (!task.receive || arrived(begin_of(task), *task.receive))) return &task;
    }
    return nullptr;
  }

  std::vector<Task> tasks;

 private:
  bool forward_is_done(const Task& backward) const {
    const Instruction& it = begin_of(backward);
    return std::ranges::all_of(tasks, [&](const Task& other) {
      const Instruction& its = begin_of(other);
      return !other.is_forward || other.done || its.stage != it.stage || its.microbatch != it.microbatch;
    });
  }

  const plan::Plan& plan_;
};

}  // namespace

void run_by_arrival(const plan::Plan& plan, const ArrivalActions& actions) {
  TaskList list(plan);
  for (const Task& task : list.tasks) {
    if (task.receive) actions.post(list.begin_of(task), *task.receive);
  }
  const auto any = [](const Instruction&, const graph::Op&) { return true; };
  auto idle_since = std::chrono::steady_clock::now();
  for (size_t left = list.tasks.size(); left > 0;) {
    Task* next = list.first(actions.has_arrived);
    if (!next && std::chrono::steady_clock::now() - idle_since > kIdle) next = list.first(any);
    if (!next) {
      std::this_thread::yield();
      continue;
    }
    for (size_t i = next->first; i < next->last; ++i) actions.execute(plan.body[i]);
    next->done = true;
    --left;
    idle_since = std::chrono::steady_clock::now();
  }
}

}  // namespace lockstep::train
