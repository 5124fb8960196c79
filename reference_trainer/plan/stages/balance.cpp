#include "reference_trainer/plan/stages/balance.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "adapters/contract/failure.h"
#include "adapters/contract/invariant.h"
#include "reference_trainer/plan/stages/cost.h"

namespace lockstep::stages {

using graph::Graph;

namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();

/// The activation one way, its gradient the other way.
double crossing_cost(const Problem& problem, int64_t bytes) {
  return 2 * problem.byte_cost * static_cast<double>(bytes);
}

/// A stage wherever it stands: how much it keeps depends on its place by the microbatches held alone.
struct Judged {
  double cost = 0;
  int64_t parameters = 0;
  int64_t activation_bytes = 0;  ///< what its ops make and what it gets over its border: what a microbatch stashes
};

/// Adds forward ops [begin, end) to a stage; `seen`, by tensor: parameters that it has already.
void add_ops(const Graph& graph, const Problem& problem, int32_t begin, int32_t end, std::vector<bool>& seen,
             Judged& to) {
  for (int32_t i = begin; i < end; ++i) {
    const graph::Op& op = graph.ops[static_cast<size_t>(i)];
    to.cost += problem.op_cost[static_cast<size_t>(i)];
    for (const graph::TensorId id : op.in) {
      if (graph.tensor(id).role != graph::Role::parameter || seen[static_cast<size_t>(id)]) continue;
      seen[static_cast<size_t>(id)] = true;
      to.parameters += graph::elements(graph.tensor(id), 1);
    }
    to.activation_bytes += made_bytes(graph, op, problem.batch, problem.real_bytes);
  }
}

int64_t memory_of(const Problem& problem, int stage, const Judged& judged) {
  return problem.kept_by_parameters(judged.parameters) + problem.held(stage) * judged.activation_bytes;
}

Judged judge_stage(const Graph& graph, const Problem& problem, int32_t begin, int32_t end) {
  const auto border = [&](int32_t cut) { return border_bytes(graph, cut, problem.batch, problem.real_bytes); };
  std::vector<bool> seen(graph.tensors.size(), false);
  Judged out{0, 0, border(begin)};
  add_ops(graph, problem, begin, end, seen, out);
  for (const int32_t cut : {begin, end}) out.cost += crossing_cost(problem, border(cut));
  return out;
}

/// Where stages may begin and end.
std::vector<int32_t> places(const Graph& graph) {
  std::vector<int32_t> out = legal_cuts(graph);
  out.insert(out.begin(), 0);
  out.push_back(forward_ops(graph));
  return out;
}

/// Every possible stage, by the places where it begins and ends, judged once.
class PossibleStages {
 public:
  PossibleStages(const Graph& graph, const Problem& problem)
      : graph_(graph), problem_(problem), at_(places(graph)), judged_(at_.size() * at_.size()) {
    for (const int32_t cut : at_) border_bytes_.push_back(border_bytes(graph, cut, problem.batch, problem.real_bytes));
    for (size_t begin = 0; begin < at_.size(); ++begin) judge_from(begin);
  }

  const std::vector<int32_t>& places_to_cut() const { return at_; }
  double cost(size_t begin, size_t end) const { return judged_[begin * at_.size() + end].cost; }
  int64_t memory(int stage, size_t begin, size_t end) const {
    return memory_of(problem_, stage, judged_[begin * at_.size() + end]);
  }

 private:
  /// The stages that begin there, each of which goes on where the one before it ends.
  void judge_from(size_t begin) {
    std::vector<bool> seen(graph_.tensors.size(), false);
    Judged judged{0, 0, border_bytes_[begin]};
    for (size_t end = begin + 1; end < at_.size(); ++end) {
      add_ops(graph_, problem_, at_[end - 1], at_[end], seen, judged);
      Judged& stage = judged_[begin * at_.size() + end] = judged;
      for (const size_t cut : {begin, end}) stage.cost += crossing_cost(problem_, border_bytes_[cut]);
    }
  }

  const Graph& graph_;
  const Problem& problem_;
  std::vector<int32_t> at_;
  std::vector<int64_t> border_bytes_;  ///< by place
  std::vector<Judged> judged_;         ///< by (begin, end)
};

struct Best {
  double value = kImpossible;
  std::vector<size_t> begins;  ///< indices of places
};

/// The least possible largest score of `stages` stages between the first place and the last; score(stage, from, to).
Best least_largest(size_t places, int stages, const std::function<double(int, size_t, size_t)>& score) {
  std::vector<std::vector<double>> value(static_cast<size_t>(stages) + 1, std::vector<double>(places, kImpossible));
  std::vector<std::vector<size_t>> from(static_cast<size_t>(stages) + 1, std::vector<size_t>(places, 0));
  value[0][0] = 0;
  for (int stage = 0; stage < stages; ++stage) {
    const auto done = static_cast<size_t>(stage);
    for (size_t end = done + 1; end < places; ++end) {
      for (size_t begin = done; begin < end; ++begin) {
        if (value[done][begin] == kImpossible) continue;
        const double candidate = std::max(value[done][begin], score(stage, begin, end));
        if (candidate < value[done + 1][end]) value[done + 1][end] = candidate, from[done + 1][end] = begin;
      }
    }
  }
  Best out{value.back().back(), {}};
  if (out.value == kImpossible) return out;
  size_t end = places - 1;
  for (size_t stage = static_cast<size_t>(stages); stage > 0; --stage)
    out.begins.insert(out.begins.begin(), end = from[stage][end]);
  return out;
}

/// The fastest cut whose stages keep the limit (0: none).
Best fastest_within(const PossibleStages& all, int stages, int64_t limit) {
  return least_largest(all.places_to_cut().size(), stages, [&](int stage, size_t begin, size_t end) {
    return limit == 0 || all.memory(stage, begin, end) <= limit ? all.cost(begin, end) : kImpossible;
  });
}

void refuse_few_cuts(const Graph& graph, const Problem& problem) {
  const size_t most = legal_cuts(graph).size() + 1;
  if (problem.stages >= 1 && static_cast<size_t>(problem.stages) <= most) return;
  throw Failure("unsupported", fmt::format("a graph of {} ops with {} legal cuts makes 1 to {} stages, not {}",
                                           forward_ops(graph), most - 1, most, problem.stages));
}

[[noreturn]] void refuse_memory(const Problem& problem, const PossibleStages& all) {
  const Best least = least_largest(
      all.places_to_cut().size(), problem.stages,
      [&](int stage, size_t begin, size_t end) { return static_cast<double>(all.memory(stage, begin, end)); });
  throw Failure("unsupported",
                fmt::format("no cut into {} stages keeps each within {} bytes; the least limit that can be kept is {}",
                            problem.stages, problem.memory_limit, static_cast<int64_t>(least.value)));
}

/// A run of forward ops whose names agree up to the first dot; it begins with its first op that reads parameters.
struct Run {
  int32_t begin = 0;
  int products = 0;  ///< ops that read parameters
};

std::vector<Run> runs_of(const Graph& graph) {
  std::vector<Run> out;
  std::string_view last;
  for (int32_t i = 0; i < forward_ops(graph); ++i) {
    if (parameters_of(graph, i, i + 1).empty()) continue;
    const std::string_view name = graph.ops[static_cast<size_t>(i)].name;
    const std::string_view group = name.substr(0, name.find('.'));
    if (out.empty() || group != last) out.push_back({i, 0});
    ++out.back().products;
    last = group;
  }
  return out;
}

/// First ops of the layers: the blocks, if there are enough of them, otherwise all runs.
std::vector<int32_t> layers(const Graph& graph, int stages) {
  const std::vector<Run> runs = runs_of(graph);
  const auto is_block = [](const Run& run) { return run.products > 1; };
  const bool blocks = std::ranges::count_if(runs, is_block) >= stages;
  std::vector<int32_t> out;
  for (const Run& run : runs) {
    if (!blocks || is_block(run)) out.push_back(run.begin);
  }
  return out;
}

}  // namespace

Balance judge(const Graph& graph, const Problem& problem, const Cut& cut) {
  Balance out{cut, {}, {}, 0};
  for (size_t s = 0; s < cut.begins.size(); ++s) {
    const int32_t begin = cut.begins[s], end = s + 1 < cut.begins.size() ? cut.begins[s + 1] : forward_ops(graph);
    const Judged stage = judge_stage(graph, problem, begin, end);
    out.cost.push_back(stage.cost);
    out.memory.push_back(memory_of(problem, static_cast<int>(s), stage));
    out.slowest = std::max(out.slowest, out.cost.back());
  }
  return out;
}

std::vector<Balance> fastest_by_memory(const Graph& graph, const Problem& problem, int most) {
  LOCKSTEP_INVARIANT(problem.op_cost.size() == static_cast<size_t>(forward_ops(graph)), "{} costs of {} forward ops",
                     problem.op_cost.size(), forward_ops(graph));
  refuse_few_cuts(graph, problem);
  const PossibleStages all(graph, problem);
  std::vector<Balance> out;
  for (int64_t limit = problem.memory_limit; static_cast<int>(out.size()) < most;) {
    const Best best = fastest_within(all, problem.stages, limit);
    if (best.value == kImpossible) break;
    Cut cut;
    for (const size_t begin : best.begins) cut.begins.push_back(all.places_to_cut()[begin]);
    out.push_back(judge(graph, problem, cut));
    limit = *std::ranges::max_element(out.back().memory) - 1;
  }
  if (out.empty()) refuse_memory(problem, all);
  return out;
}

Balance balance(const Graph& graph, const Problem& problem) { return fastest_by_memory(graph, problem, 1).front(); }

Balance equal_layers(const Graph& graph, const Problem& problem) {
  refuse_few_cuts(graph, problem);
  const std::vector<int32_t> firsts = layers(graph, problem.stages), legal = legal_cuts(graph);
  Cut cut{{0}};
  size_t next = 0;  // first legal cut that is still free
  for (int s = 1; s < problem.stages; ++s) {
    const int32_t wanted = firsts[firsts.size() * static_cast<size_t>(s) / static_cast<size_t>(problem.stages)];
    const size_t last = legal.size() - static_cast<size_t>(problem.stages - s);  // leaves one for each stage to come
    size_t best = next;
    for (size_t i = next; i <= last; ++i) {
      if (std::abs(legal[i] - wanted) < std::abs(legal[best] - wanted)) best = i;
    }
    cut.begins.push_back(legal[best]);
    next = best + 1;
  }
  return judge(graph, problem, cut);
}

}  // namespace lockstep::stages
