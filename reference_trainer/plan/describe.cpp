#include "reference_trainer/plan/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "adapters/contract/plural.h"
#include "reference_trainer/graph/cost.h"
#include "reference_trainer/plan/contents.h"
#include "reference_trainer/plan/schedule/picture.h"
#include "reference_trainer/plan/schedule/simulate.h"
#include "reference_trainer/plan/schedule/table.h"
#include "reference_trainer/plan/traffic.h"

namespace lockstep::plan {
namespace {

std::string joined(const std::vector<Axis>& axes) {
  std::string text;
  for (Axis axis : axes) text += fmt::format("{}{}", text.empty() ? "" : ".", text::name(axis));
  return text;
}

int64_t kept_parameters(const Plan& plan) {
  int64_t sum = 0;
  for (const Slot& slot : plan.slots) sum += plan.parameters.count_within(slot.offset, slot.count);
  return sum;
}

std::vector<std::string> layouts_of(const Plan& plan) {
  std::vector<std::string> lines;
  for (const Stage& stage : plan.stages) {
    const graph::Graph& graph = stage.graph();
    std::map<graph::TensorId, graph::TensorId> rounded;  // what is rounded right away, as it then is
    for (const graph::Op& op : graph.ops) {
      if (op.kind == graph::OpKind::cast) rounded[op.in[0]] = op.out[0];
    }
    for (int32_t i = 0; i < graph.forward_ops; ++i) {
      const graph::Op& op = graph.ops[static_cast<size_t>(i)];
      if (op.kind == graph::OpKind::cast) continue;
      for (graph::TensorId made : op.out) {
        const auto kept = rounded.find(made);
        const bool rounds = kept != rounded.end() && graph::is_16_bit(graph.tensor(kept->second).type);
        const graph::TensorId id = rounds ? kept->second : made;
        const graph::Type type = graph.tensor(id).type;
        lines.push_back(fmt::format("{}: {}{}", graph.tensor(id).name,
                                    print(stage.local.layouts[static_cast<size_t>(id)], graph.tensor(id)),
                                    graph::is_16_bit(type) ? fmt::format(" in {}", graph::name(type)) : std::string()));
      }
    }
  }
  return lines;
}

std::vector<std::string> origins_of(const Plan& plan) {
  std::vector<std::string> lines;
  for (const Stage& stage : plan.stages) {
    for (const graph::Op& op : stage.graph().ops) {
      if (op.kind != graph::OpKind::exchange) continue;
      const Exchange& exchange = stage.local.exchanges[static_cast<size_t>(op.attr.exchange)];
      lines.push_back(fmt::format("{}: {}", stage.graph().tensor(exchange.in).name, exchange.why));
    }
  }
  for (const Slot& slot : plan.slots) {
    if (slot.sum.empty()) continue;
    lines.push_back(fmt::format("{}: {} of the gradient over {}", plan.local(slot).graph.tensor(slot.parameter).name,
                                plan.zero > 0 ? "reduce_scatter" : "all_reduce", joined(slot.sum)));
  }
  return lines;
}

PlaceView place_of(const Plan& plan, const Work& work, const std::vector<Communication>& sent) {
  PlaceView place;
  const int self = plan.mesh.coordinate(plan.rank, Axis::pp);
  for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
    if (plan.mesh.coordinate(rank, Axis::pp) == self) place.ranks.push_back(rank);
  }
  for (const Stage& stage : plan.stages) place.stages.push_back(stage.index);
  place.contents = contents_of(plan);
  place.parameters = kept_parameters(plan);
  place.memory = peak_memory(plan, work);
  place.versions = plan.weight_copies;
  place.in_flight = 0;
  for (int slots : plan.activation_slots) place.in_flight += slots;
  place.sent = sent_in_all(sent, false);
  place.control = sent_in_all(sent, true) - place.sent;
  place.fill = text::print(plan.fill);
  place.actions = text::print(plan.actions);
  place.layouts = layouts_of(plan);
  place.origins = origins_of(plan);
  return place;
}

/// How many calls of layers and of what stands around them there are, or how much of what is exchanged.
struct Reason {
  int64_t layers = 0, ends = 0;
};

std::string why_of(const Plan& plan, const Communication& entry, const Reason& reason) {
  if (!entry.reader.empty()) {
    if (reason.layers == 0 || entry.what == "cross-entropy")
      return fmt::format("{} a microbatch", (reason.layers + reason.ends + plan.microbatches - 1) / plan.microbatches);
    return reason.ends == 0 ? fmt::format("layers {}", reason.layers)
                            : fmt::format("layers {}, ends {}", reason.layers, reason.ends);
  }
  if (entry.what == "activations, gradients") {
    for (const schedule::Row& row : schedule::schedules()) {
      if (plan.strategy.find_pass(row.name)) return std::string(row.name);
    }
  }
  if (entry.what == "tied gradients") return "owners";
  if (entry.what == "replicas' gradients") return "two directions";
  if (entry.what == "shards of gradients") return fmt::format("{} groups", plan.mesh.size(Axis::dp) / plan.shard_group);
  const std::string shards = plan.shard_group > 0 ? fmt::format(" in groups of {}", plan.shard_group) : std::string();
  if (plan.zero == 3 && entry.what == "parameters") return "zero3" + shards + ": twice";
  if (plan.zero > 0) return fmt::format("zero{}{}", plan.zero, shards);
  const auto buckets = std::ranges::count(plan.buckets, entry.axes, &Bucket::axes);
  return plural(buckets, "bucket");
}

class Lines {
 public:
  explicit Lines(size_t places) : places_(places) {}

  void add(const Plan& plan, size_t place, const std::vector<Communication>& sent) {
    std::map<std::pair<std::string, std::string>, Reason> reasons;
    const auto key = [](const Communication& entry) {
      return std::pair(entry.operation + " " + entry.what, joined(entry.axes));
    };
    for (const Communication& entry : sent) {
      const std::string_view op = std::string_view(entry.reader).substr(entry.reader.find(' ') + 1);
      (layer_of(plan.whole, op) >= 0 ? reasons[key(entry)].layers : reasons[key(entry)].ends) += entry.calls;
    }
    for (const Communication& entry : sent) {
      if (entry.control) continue;
      ExchangeLine& line = line_of(key(entry));
      ExchangeLine::Calls& calls = line.places[place];
      calls.sizes[entry.bytes] += entry.calls;
      calls.sent += entry.calls * entry.sent;
      line.algorithm = entry.what == "gradients" && plan.zero == 0 ? plan.algorithm : "auto";
      if (entry.operation == "send") line.algorithm = "";
      note(line, why_of(plan, entry, reasons[key(entry)]));
    }
  }

  std::vector<ExchangeLine> take() { return std::move(lines_); }

 private:
  ExchangeLine& line_of(const std::pair<std::string, std::string>& key) {
    for (ExchangeLine& line : lines_) {
      if (line.operation == key.first && line.axis == key.second) return line;
    }
    lines_.push_back({key.first, key.second, "auto", "", std::vector<ExchangeLine::Calls>(places_)});
    return lines_.back();
  }

  /// Places may have a reason each: what they have in common stays, the words without the numbers.
  static void note(ExchangeLine& line, const std::string& why) {
    if (line.why.empty()) line.why = why;
    if (line.why != why) line.why = why.starts_with("layers") ? "layers, ends" : line.why;
  }

  const size_t places_;
  std::vector<ExchangeLine> lines_;
};

schedule::Simulation simulated(const schedule::Schedule& schedule, std::vector<schedule::Times> stages) {
  const bool transfers = schedule::has_transfers(schedule);
  return schedule::simulate(schedule, {std::move(stages), 0},
                            transfers ? schedule::Crossing::posted : schedule::Crossing::implied);
}

/// The slowest stage is never idle.
double steady_idle_share(const std::vector<schedule::Times>& stages) {
  double busy = 0;
  for (const schedule::Times& times : stages) busy += times.forward + times.backward();
  return 1 - busy / (schedule::slowest_stage(stages) * static_cast<double>(stages.size()));
}

double idle_share(const schedule::Schedule& schedule, const schedule::Simulation& simulation) {
  if (!schedule.flushes) return 0;  // once it is full
  return schedule::find_schedule(schedule.name).staggered ? simulation.span_bubble : simulation.bubble;
}

const std::vector<schedule::Times> kEqualStages = {{1, 1, 1}};

std::optional<PipelineView> pipeline_of(const Plan& plan) {
  if (!plan.schedule) return std::nullopt;
  PipelineView view = pipeline_view(*plan.schedule);
  view.uneven_bubble = idle_share(plan, false);
  return view;
}

}  // namespace

int64_t ExchangeLine::Calls::count() const {
  int64_t sum = 0;
  for (const auto& [bytes, calls] : sizes) sum += calls;
  return sum;
}

int64_t ExchangeLine::Calls::bytes() const {
  int64_t sum = 0;
  for (const auto& [bytes, calls] : sizes) sum += bytes * calls;
  return sum;
}

int64_t Description::peak_bytes() const {
  int64_t most = 0;
  for (const PlaceView& place : places) most = std::max(most, place.memory.total());
  return most;
}

int64_t Description::sent_bytes() const {
  int64_t most = 0;
  for (const PlaceView& place : places) most = std::max(most, place.sent);
  return most;
}

std::vector<int> first_ranks(const Mesh& mesh) {
  std::vector<int> ranks;
  for (int rank = 0; rank < mesh.ranks(); ++rank) {
    const bool first = std::ranges::all_of(mesh.axes(), [&](const text::MeshAxis& entry) {
      return entry.axis == Axis::pp || mesh.coordinate(rank, entry.axis) == 0;
    });
    if (first) ranks.push_back(rank);
  }
  return ranks;
}

PipelineView pipeline_view(const schedule::Schedule& schedule) {
  const schedule::Simulation equal = simulated(schedule, kEqualStages);
  PipelineView view;
  view.schedule = schedule.name;
  view.picture = schedule::picture(schedule, equal);
  view.makespan =
      schedule.flushes ? equal.makespan : schedule::slowest_stage(kEqualStages) * schedule.numbers.per_update;
  for (const schedule::Interval& interval : equal.intervals)
    view.splits_backward |= interval.kind == text::ActionKind::W;
  const schedule::Row& row = schedule::find_schedule(schedule.name);
  view.formula = row.bubble_text;
  view.formula_of_equal_passes = row.equal_passes;
  view.bubble = view.uneven_bubble = idle_share(schedule, equal);
  return view;
}

double idle_share(const Plan& plan, bool equal_stages) {
  if (!plan.schedule) return 0;
  if (plan.stale) return equal_stages ? 0 : steady_idle_share(plan.stage_costs);
  return idle_share(*plan.schedule, simulated(*plan.schedule, equal_stages ? kEqualStages : plan.stage_costs));
}

Description describe(const graph::Graph& forward, const text::Strategy& strategy, const Work& work) {
  Description d;
  const std::vector<int> ranks = first_ranks(Mesh(strategy.axes));
  Lines lines(ranks.size());
  for (size_t i = 0; i < ranks.size(); ++i) {
    const Plan plan = make_plan(forward, strategy, {work.real_bytes, true, ranks[i]});
    const std::vector<Communication> sent = communications(plan, work);
    d.places.push_back(place_of(plan, work, sent));
    lines.add(plan, i, sent);
    if (i > 0) continue;
    d.strategy = text::print(plan.strategy);
    d.ranks = plan.mesh.ranks();
    d.data_ranks = plan.data_count();
    for (Axis axis : kSampleAxes) {
      if (plan.mesh.size(axis) > 1) d.data_axes += (d.data_axes.empty() ? "" : ".") + std::string(text::name(axis));
    }
    d.microbatches = plan.microbatches;
    d.batch = work.batch;
    d.most = share_of(work.batch, 0, plan.data_count());
    d.fewest = share_of(work.batch, plan.data_count() - 1, plan.data_count());
    d.parameters = graph::parameter_count(plan.whole);
    d.storage = plan.storage;
    d.model_flops = graph::model_flops_per_sample(plan.whole) * work.batch;
    for (const text::MeshAxis& axis : plan.mesh.axes())
      d.groups.push_back(fmt::format("{} {}", text::name(axis.axis), plan.mesh.print_groups(axis.axis)));
    d.pipeline = pipeline_of(plan);
  }
  d.exchanges = lines.take();
  return d;
}

}  // namespace lockstep::plan
