#include "reference_trainer/plan/traffic.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "reference_trainer/plan/collective/algorithms.h"
#include "reference_trainer/plan/prefetch.h"

namespace lockstep::plan {
namespace {

using collective::Operation;
using graph::Op;
using graph::OpKind;

/// Elements that member `self` sends; chunk r of the program is elements [bounds[r], bounds[r + 1]), or an equal share.
int64_t sent_by_program(const collective::Program& program, int self, int64_t elements,
                        const std::vector<int64_t>& bounds) {
  int64_t sum = 0;
  for (const collective::Round& round : program.ranks[static_cast<size_t>(self)]) {
    for (const collective::Transfer& transfer : round) {
      if (transfer.action != collective::Action::send) continue;
      const auto first = static_cast<size_t>(transfer.first), last = first + static_cast<size_t>(transfer.count);
      sum += bounds.empty() ? collective::chunk_range(elements, program.chunks, transfer.first, transfer.count).size()
                            : bounds[last] - bounds[first];
    }
  }
  return sum;
}

/// Where members' shares begin, in elements, and behind them the end of the last one.
std::vector<int64_t> bounds_of(const Exchange& exchange, int64_t per_position) {
  std::vector<int64_t> bounds = {0};
  for (const auto& share : exchange.shares) bounds.push_back(bounds.back() + length(share) * per_position);
  return bounds;
}

class Walker {
 public:
  Walker(const Plan& plan, const Work& work, const Choice& choice) : plan_(plan), work_(work), choice_(choice) {}

  std::vector<Communication> run() {
    for (const Instruction& instruction : plan_.body) execute(instruction);
    for (const auto& [key, calls] : graph_calls_) {
      const auto [stage, op, samples] = key;
      of_graph(plan_.stages[stage], plan_.stages[stage].graph().ops[static_cast<size_t>(op)], samples, calls);
    }
    for (Communication& entry : outside_) out_.push_back(std::move(entry));
    return std::move(out_);
  }

 private:
  void execute(const Instruction& instruction) {
    switch (instruction.op) {
      case Instruction::run:
        return count_ops(instruction);
      case Instruction::start:
        return start(bucket_of(instruction));
      case Instruction::gather:
        return outside(collective_call(Operation::all_gather, "parameters", bucket_of(instruction)));
      case Instruction::replicate:
        return replicate(bucket_of(instruction));
      case Instruction::share:
        return share();
      case Instruction::decide:
        // In the last element of the gradients where one exchange reaches all of them, and on its own elsewhere.
        if (plan_.stale) return tell_the_stage_before();
        if (plan_.tells_apart()) control("losses", 1, all_axes());
        if (plan_.scales_loss()) control("overflow", 1, all_axes());
        return;
      case Instruction::probe:
        if (work_.clips)
          control("norms", static_cast<int64_t>(plan_.whole.parameters.size()),
                  plan_.holder_axes(plan_.optimizer.sharded));
        return;
      case Instruction::load:
      case Instruction::accumulate:
      case Instruction::wait:
      case Instruction::update:
        return;
    }
  }

  static bool communicates(OpKind kind) {
    return kind == OpKind::exchange || kind == OpKind::send || moves_shards(kind);
  }
  static bool moves_shards(OpKind kind) { return kind == OpKind::gather_shards || kind == OpKind::scatter_shards; }

  /// A microbatch without samples takes part in what shards are needed for, and in nothing else.
  void count_ops(const Instruction& instruction) {
    const auto stage = static_cast<size_t>(instruction.stage);
    const int64_t samples = plan_.bound_samples(work_.batch, instruction.microbatch);
    for (int32_t op = instruction.first; op < instruction.last; ++op) {
      const Op& it = plan_.stages[stage].graph().ops[static_cast<size_t>(op)];
      if (begins_gather(it)) continue;  // counted where it is waited for
      const OpKind kind = it.kind;
      if (communicates(kind) && (samples > 0 || moves_shards(kind))) ++graph_calls_[{stage, op, samples}];
    }
  }

  void of_graph(const Stage& stage, const Op& op, int64_t samples, int64_t calls) {
    const auto index = static_cast<size_t>(op.attr.exchange);
    const auto add = [&](Communication entry) {
      entry.calls = calls;
      out_.push_back(std::move(entry));
    };
    switch (op.kind) {
      case OpKind::gather_shards:
        return add(collective_call(Operation::all_gather, "parameters", plan_.buckets[index]));
      case OpKind::scatter_shards:
        return add(collective_call(Operation::reduce_scatter, "gradients", plan_.buckets[index]));
      case OpKind::send:
        for (graph::TensorId id : op.in) {
          const int64_t bytes = graph::bytes(stage.graph().tensor(id), samples, work_.real_bytes);
          add({"send", "activations, gradients", "", {Axis::pp}, bytes, bytes, 0, false});
        }
        return;
      default:
        return of_exchange(stage, stage.local.exchanges[index], samples, calls);
    }
  }

  void of_exchange(const Stage& stage, const Exchange& exchange, int64_t samples, int64_t calls) {
    const graph::Tensor &in = stage.graph().tensor(exchange.in), &out = stage.graph().tensor(exchange.out);
    const int64_t rows = rows_sent(exchange, samples), from = graph::elements(in, rows),
                  to = graph::elements(out, rows);
    const std::vector<Axis> axes = {exchange.conversion.axis};
    const auto axis = static_cast<size_t>(std::max(exchange.conversion.tensor_axis, 0));
    const auto per_position = [&](const graph::Tensor& tensor, int64_t elements) {
      return elements / tensor.shape[axis].size;
    };
    const int64_t number = graph::bytes_of(in.type, work_.real_bytes);
    int64_t sent = 0;
    switch (exchange.conversion.kind) {
      case Conversion::slice:
      case Conversion::zero_others:
        return;
      case Conversion::all_reduce:
        sent = sent_of(Operation::all_reduce, "auto", axes, from, {}, work_.real_bytes);
        break;
      case Conversion::reduce_scatter:
        sent = sent_of(Operation::reduce_scatter, "auto", axes, from, bounds_of(exchange, per_position(in, from)),
                       work_.real_bytes);
        break;
      case Conversion::all_gather:
        sent = sent_of(Operation::all_gather, "auto", axes, to, bounds_of(exchange, per_position(out, to)), number);
        break;
      case Conversion::rotate:
        sent = from * number;
        break;
      case Conversion::all_to_all:
        sent = (from - own_block(exchange, from)) * number;
        break;
      case Conversion::halo:
        sent = halo(exchange, exchange.shares, exchange.needs) * per_position(in, from) * number;
        break;
      case Conversion::halo_sum:
        sent = halo(exchange, exchange.needs, exchange.shares) * per_position(in, from) * work_.real_bytes;
        break;
    }
    std::string reader = exchange.why.substr(0, exchange.why.find(": "));
    const char* what = is_of_loss(stage.graph(), reader) ? "cross-entropy" : "activations";
    out_.push_back({std::string(name(exchange.conversion.kind)), what, std::move(reader), axes,
                    std::max(from, to) * number, sent, calls, false});
  }

  using Shares = std::vector<std::vector<graph::Interval>>;
  /// Positions that go to the others.
  int64_t halo(const Exchange& exchange, const Shares& have, const Shares& want) const {
    const auto self = static_cast<size_t>(plan_.mesh.coordinate(plan_.rank, exchange.conversion.axis));
    int64_t positions = 0;
    for (size_t i = 0; i < want.size(); ++i) {
      if (i != self) positions += length(common(have[self], want[i]));
    }
    return positions;
  }

  /// What of an all_to_all stays here: of the axis that will be split this rank's share.
  int64_t own_block(const Exchange& exchange, int64_t elements) const {
    int64_t positions = 0;
    for (const auto& need : exchange.needs) positions += length(need);
    const auto self = static_cast<size_t>(plan_.mesh.coordinate(plan_.rank, exchange.conversion.axis));
    return elements / positions * length(exchange.needs[self]);
  }

  static bool is_of_loss(const graph::Graph& graph, const std::string& reader) {
    return std::ranges::any_of(
        graph.ops, [&](const Op& op) { return op.kind == OpKind::cross_entropy_total && op.name == reader; });
  }

  int64_t sent_of(Operation operation, std::string_view algorithm, const std::vector<Axis>& axes, int64_t elements,
                  const std::vector<int64_t>& bounds, int64_t element_bytes) {
    return sent_among(plan_.mesh.group(plan_.rank, axes), operation, algorithm, elements, bounds, element_bytes);
  }

  /// Bytes that this rank sends in one collective call of these ranks.
  int64_t sent_among(const std::vector<int>& members, Operation operation, std::string_view algorithm, int64_t elements,
                     const std::vector<int64_t>& bounds, int64_t element_bytes) {
    const auto ranks = static_cast<int>(members.size());
    const auto self = static_cast<int>(std::ranges::find(members, plan_.rank) - members.begin());
    const int64_t bytes = elements * element_bytes;
    if (algorithm == "auto") algorithm = choice_(operation, ranks, bytes, ranks == plan_.mesh.ranks());
    if (algorithm == "native") return 2 * bytes * (ranks - 1) / ranks;
    if (algorithm == "direct" && operation != Operation::all_reduce) {
      const auto at = static_cast<size_t>(self);
      const int64_t own =
          bounds.empty() ? collective::chunk_range(elements, ranks, self).size() : bounds[at + 1] - bounds[at];
      return (operation == Operation::all_gather ? own * (ranks - 1) : elements - own) * element_bytes;
    }
    auto& program = programs_[{std::string(algorithm), operation, ranks}];
    if (program.ranks.empty()) program = collective::generate(algorithm, operation, ranks);
    return sent_by_program(program, self, elements, bounds) * element_bytes;
  }

  Communication collective_call(Operation operation, const char* what, const Bucket& bucket,
                                std::string_view algorithm = "auto") {
    return {std::string(collective::name(operation)),
            what,
            "",
            bucket.axes,
            bucket.count * work_.real_bytes,
            sent_among(plan_.shard_members(bucket), operation, algorithm, bucket.count, {}, work_.real_bytes),
            1,
            false};
  }

  void start(const Bucket& bucket) {
    outside(plan_.zero == 0 ? collective_call(Operation::all_reduce, "gradients", bucket, plan_.algorithm)
                            : collective_call(Operation::reduce_scatter, "gradients", bucket));
  }

  void replicate(const Bucket& bucket) {
    const int64_t count = plan_.shard_of(bucket).size();
    if (count == 0) return;
    outside({"all_reduce",
             "shards of gradients",
             "",
             {Axis::dp},
             count * work_.real_bytes,
             sent_among(plan_.replica_members(), Operation::all_reduce, "auto", count, {}, work_.real_bytes),
             1,
             false});
  }

  void share() {
    for (const Shared& shared : plan_.shared) {
      std::set<int> others;
      const Slot* mine = nullptr;
      int64_t parts = 0;
      for (const Shared::Owner& owner : shared.owners) {
        if (owner.slot < 0) others.insert(owner.coordinate);
        if (owner.slot >= 0) mine = &plan_.slots[static_cast<size_t>(owner.slot)], ++parts;
      }
      if (!mine || others.empty()) continue;
      const int64_t bytes = plan_.kept_gradients(*mine) * work_.real_bytes;
      if (bytes == 0) continue;
      const bool replicas = plan_.schedule && plan_.schedule->directions() > 1;
      outside({"send",
               replicas ? "replicas' gradients" : "tied gradients",
               "",
               {Axis::pp},
               bytes,
               bytes,
               parts * static_cast<int64_t>(others.size()),
               false});
    }
  }

  void control(const char* what, int64_t numbers, const std::vector<Axis>& axes) {
    if (axes.empty()) return;
    constexpr int64_t kDouble = 8;
    outside({"all_reduce", what, "", axes, numbers * kDouble,
             sent_of(Operation::all_reduce, "auto", axes, numbers, {}, kDouble), 1, true});
  }

  void tell_the_stage_before() {
    if (plan_.stages.front().index == 0) return;
    constexpr int64_t kDouble = 8;
    outside({"send", "losses", "", {Axis::pp}, kDouble, kDouble, 1, true});
  }

  void outside(Communication entry) { outside_.push_back(std::move(entry)); }
  const Bucket& bucket_of(const Instruction& instruction) const {
    return plan_.buckets[static_cast<size_t>(instruction.first)];
  }
  std::vector<Axis> all_axes() const {
    std::vector<Axis> axes;
    for (const text::MeshAxis& entry : plan_.mesh.axes()) axes.push_back(entry.axis);
    return axes;
  }

  const Plan& plan_;
  const Work& work_;
  const Choice& choice_;
  std::map<std::tuple<size_t, int32_t, int64_t>, int64_t> graph_calls_;  ///< by stage, op and samples
  std::map<std::tuple<std::string, Operation, int>, collective::Program> programs_;
  std::vector<Communication> out_, outside_;
};

}  // namespace

std::string_view least(Operation operation, int, int64_t, bool) {
  return operation == Operation::all_reduce ? "native" : "direct";
}

std::vector<Communication> communications(const Plan& plan, const Work& work, const Choice& choice) {
  return Walker(plan, work, choice).run();
}

int64_t sent_in_all(const std::vector<Communication>& communications, bool control) {
  int64_t sum = 0;
  for (const Communication& entry : communications) {
    if (control || !entry.control) sum += entry.calls * entry.sent;
  }
  return sum;
}

}  // namespace lockstep::plan
