#include "reference_trainer/plan/cut_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "adapters/contract/failure.h"
#include "adapters/contract/nearest.h"
#include "adapters/contract/plural.h"
#include "reference_trainer/graph/gradients.h"
#include "reference_trainer/plan/describe.h"
#include "reference_trainer/plan/pipeline.h"
#include "reference_trainer/plan/schedule/table.h"
#include "reference_trainer/plan/stages/backward.h"
#include "reference_trainer/plan/stages/balance.h"
#include "reference_trainer/plan/stages/cost.h"
#include "reference_trainer/plan/text/quantity.h"

namespace lockstep::plan {
namespace {

/// A byte over a border costs as much as so many FLOPs: a core with 50 GFLOP/s and 2 GB/s to its neighbour.
constexpr double kFlopsPerByte = 25;

/// Cuts whose planned peak is looked at before none is said to keep a limit.
constexpr int kMostCuts = 64;

constexpr std::string_view kBalanced = "balanced", kEqual = "equal";

/// Names the most ranks, or the most chunks a rank, that the places to cut allow.
void refuse_too_many_stages(const graph::Graph& graph, const text::Strategy& strategy,
                            const schedule::Schedule& schedule) {
  const auto most = static_cast<int>(stages::legal_cuts(graph).size()) + 1;
  if (schedule.stages() <= most) return;
  const int ranks = schedule.numbers.ranks, chunks = schedule.numbers.chunks;
  std::string nearest = fmt::format("pp{} is the most", most / chunks);
  if (chunks > 1 && most / ranks > 1) nearest = fmt::format("v={} is the most", most / ranks);
  if (chunks > 1 && most / ranks == 1) nearest = fmt::format("1f1b needs {} stages only", ranks);
  if (chunks == 1 && most == 1) nearest = "leave pp out";
  throw Failure("unsupported",
                fmt::format("{}: {} ranks x {} make {} stages, but the {} forward ops of this workload can be "
                            "cut into {} at most; {}",
                            text::print(strategy), ranks, plural(chunks, "chunk"), schedule.stages(),
                            stages::forward_ops(graph), most, nearest));
}

/// The bare values of the term: a word, a file, or names of ops.
std::vector<std::string> said_by(const text::Term* term) {
  std::vector<std::string> said;
  if (!term) return said;
  for (const text::Argument& argument : term->arguments) {
    if (argument.key.empty()) said.push_back(argument.value);
  }
  return said;
}

bool is_word(const std::vector<std::string>& said, std::string_view word) {
  return said.size() == 1 && said[0] == word;
}

std::vector<std::string> names_of_forward_ops(const graph::Graph& graph) {
  std::vector<std::string> names;
  for (int32_t i = 0; i < stages::forward_ops(graph); ++i) names.push_back(graph.ops[static_cast<size_t>(i)].name);
  return names;
}

[[noreturn]] void refuse_cut(const text::Strategy& strategy, const char* kind, const std::string& why) {
  throw Failure(kind,
                fmt::format("{}: {}: {}", text::print(strategy), text::print(*strategy.find_pass("stages")), why));
}

/// The op of that name, before which a cut is legal.
int32_t place_named(const graph::Graph& graph, const text::Strategy& strategy, const std::string& name) {
  const std::vector<std::string> names = names_of_forward_ops(graph);
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    refuse_cut(strategy, "usage",
               name.ends_with(".json")
                   ? "a file of costs stands in a strategy only where it is read, with `lockstep plan`, `lockstep run` "
                     "and suites; write the ops before which to cut"
                   : fmt::format("no forward op of this workload is named {}; the nearest is {}, or write {} or {}",
                                 name, nearest(name, names), kBalanced, kEqual));
  }
  const auto op = static_cast<int32_t>(found - names.begin());
  const std::vector<int32_t> legal = stages::legal_cuts(graph);
  if (std::ranges::find(legal, op) != legal.end()) return op;
  const auto is_nearer = [&](int32_t a, int32_t b) { return std::abs(a - op) < std::abs(b - op); };
  refuse_cut(strategy, "unsupported",
             fmt::format("before {} no cut is legal: a border has activations with samples alone, and parts no "
                         "activation function from its product; the nearest legal place is before {}",
                         name, names[static_cast<size_t>(*std::ranges::min_element(legal, is_nearer))]));
}

stages::Cut cut_before(const graph::Graph& graph, const text::Strategy& strategy, const schedule::Schedule& schedule,
                       const std::vector<std::string>& names) {
  if (static_cast<int>(names.size()) + 1 != schedule.stages()) {
    refuse_cut(strategy, "usage",
               fmt::format("{} to cut before make {} stages, {} of {} ranks has {}; name {}",
                           plural(static_cast<int64_t>(names.size()), "op"), names.size() + 1, schedule.name,
                           schedule.numbers.ranks, schedule.stages(), schedule.stages() - 1));
  }
  stages::Cut cut{{0}};
  for (const std::string& name : names) {
    const int32_t begin = place_named(graph, strategy, name);
    if (begin <= cut.begins.back())
      refuse_cut(strategy, "usage", name + " stands before the op named before it; name them in the model's order");
    cut.begins.push_back(begin);
  }
  return cut;
}

stages::Problem problem_by_flops(const graph::Graph& differentiated, const schedule::Schedule& schedule,
                                 int64_t real_bytes) {
  stages::Problem problem;
  problem.stages = schedule.stages();
  problem.op_cost = stages::flop_costs(differentiated, 1);
  problem.byte_cost = kFlopsPerByte;
  problem.real_bytes = real_bytes;
  return problem;
}

void use_costs(const graph::Graph& graph, const text::Strategy& strategy, const MeasuredCosts& costs,
               stages::Problem& problem) {
  const std::vector<std::string> names = names_of_forward_ops(graph);
  for (const auto& [name, cost] : costs.of_op) {
    if (std::ranges::find(names, name) == names.end())
      refuse_cut(strategy, "usage",
                 fmt::format("it has costs of {}, and this workload no such op; the nearest is {}: costs are measured "
                             "with the workload that is planned",
                             name, nearest(name, names)));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const auto found = costs.of_op.find(names[i]);
    if (found == costs.of_op.end())
      refuse_cut(strategy, "usage", fmt::format("it has no costs of {}; write its nanoseconds, or 0", names[i]));
    problem.op_cost[i] = found->second;
  }
  problem.byte_cost = costs.of_byte;
}

/// How the balance sees memory, by which it orders cuts: what the planned peak of a cut then is, the plan says.
void order_by_memory(const schedule::Schedule& schedule, const Work& work, int data_count, stages::Problem& problem) {
  const int microbatches = schedule.flushes ? schedule.numbers.microbatches : schedule.numbers.per_update;
  problem.batch = std::max<int64_t>(
      1, (work.batch + int64_t{data_count} * microbatches - 1) / (int64_t{data_count} * microbatches));
  problem.parameter_copies = (microbatches > 1 ? 3 : 2) + work.optimizer_arrays;  // gradients are added up
  const std::vector<int> held = schedule::in_flight(schedule::find_schedule(schedule.name), schedule.numbers);
  for (int stage = 0; stage < schedule.stages(); ++stage) {
    const int rank = schedule.placement[0][static_cast<size_t>(stage)];
    problem.in_flight.push_back(std::max(1, held[static_cast<size_t>(rank)] / schedule.numbers.chunks));
  }
}

int64_t planned_peak(const graph::Graph& forward, const text::Strategy& strategy, const Work& work) {
  int64_t peak = 0;
  for (const int rank : first_ranks(Mesh(strategy.axes)))
    peak = std::max(peak, peak_memory(make_plan(forward, strategy, {work.real_bytes, true, rank}), work).total());
  return peak;
}

text::Strategy cut_before(const graph::Graph& graph, text::Strategy strategy, const stages::Cut& cut) {
  for (text::Term& term : strategy.passes) {
    if (term.name != "stages") continue;
    term.arguments.clear();
    for (size_t s = 1; s < cut.begins.size(); ++s)
      term.arguments.push_back({"", graph.ops[static_cast<size_t>(cut.begins[s])].name});
  }
  return strategy;
}

}  // namespace

stages::Cut cut_of(const graph::Graph& differentiated, const text::Strategy& strategy,
                   const schedule::Schedule& schedule, int64_t real_bytes) {
  refuse_too_many_stages(differentiated, strategy, schedule);
  const text::Term* term = strategy.find_pass("stages");
  const std::vector<std::string> said = said_by(term);
  if (term && term->find("fit")) {
    refuse_cut(strategy, "usage",
               "fit chooses among cuts by batch and optimizer, which is done with `lockstep plan`, `lockstep run` and "
               "suites, not here; write the ops before which to cut");
  }
  if (!said.empty() && !is_word(said, kBalanced) && !is_word(said, kEqual))
    return cut_before(differentiated, strategy, schedule, said);
  const stages::Problem problem = problem_by_flops(differentiated, schedule, real_bytes);
  return (is_word(said, kEqual) ? stages::equal_layers : stages::balance)(differentiated, problem).cut;
}

std::map<std::string, double> costs_by_forward_op(const graph::Graph& forward,
                                                  const std::map<std::string, double>& ns_by_op) {
  const graph::Graph whole = graph::differentiate(forward);
  const stages::Backward backward(whole);
  std::map<std::string, double> costs;
  for (const std::string& name : names_of_forward_ops(whole)) costs[name] = 0;
  for (size_t i = 0; i < whole.ops.size(); ++i) {
    const auto took = ns_by_op.find(whole.ops[i].name);
    const int32_t owner = backward.forward_of(static_cast<int32_t>(i));
    if (took != ns_by_op.end()) costs[whole.ops[static_cast<size_t>(owner)].name] += took->second;
  }
  return costs;
}

text::Strategy with_chosen_cut(const graph::Graph& forward, const text::Strategy& strategy, const Work& work,
                               const MeasuredCosts* costs) {
  const text::Term* term = strategy.find_pass("stages");
  const std::string* fit = term ? term->find("fit") : nullptr;
  if (!term || (!costs && !fit)) return strategy;
  const auto schedule = schedule_of(strategy);
  if (!schedule) return strategy;  // which the table of terms refuses
  const std::vector<std::string> said = said_by(term);
  if (!costs && !is_word(said, kBalanced)) {
    refuse_cut(strategy, "usage",
               fmt::format("fit chooses among the cuts of {}, and of measured costs; leave it out, or write {}",
                           kBalanced, kBalanced));
  }
  const graph::Graph whole = graph::differentiate(forward);
  refuse_too_many_stages(whole, strategy, *schedule);
  stages::Problem problem = problem_by_flops(whole, *schedule, work.real_bytes);
  if (costs) use_costs(whole, strategy, *costs, problem);
  if (!fit) return cut_before(whole, strategy, stages::balance(whole, problem).cut);
  order_by_memory(*schedule, work, Mesh(strategy.axes).data_count(), problem);
  problem.byte_cost *= static_cast<double>(1) / static_cast<double>(problem.batch);  // costs are of one sample
  const int64_t limit = text::parse_bytes(*fit);
  int64_t least = std::numeric_limits<int64_t>::max();
  const std::vector<stages::Balance> cuts = stages::fastest_by_memory(whole, problem, kMostCuts);
  for (const stages::Balance& balance : cuts) {
    const text::Strategy chosen = cut_before(whole, strategy, balance.cut);
    const int64_t peak = planned_peak(forward, chosen, work);
    if (peak <= limit) return chosen;
    least = std::min(least, peak);
  }
  refuse_cut(strategy, "unsupported",
             fmt::format("of {} from the fastest to the smallest none keeps each rank within {}; the least "
                         "planned peak is fit={}, or take recompute:full, more stages or shards",
                         plural(static_cast<int64_t>(cuts.size()), "cut"), *fit, text::print_bytes(least)));
}

}  // namespace lockstep::plan
