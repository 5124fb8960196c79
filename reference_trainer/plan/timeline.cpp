#include "reference_trainer/plan/timeline.h"

#include <algorithm>
#include <set>

#include "reference_trainer/graph/cost.h"
#include "reference_trainer/plan/prefetch.h"
#include "reference_trainer/plan/schedule/simulate.h"
#include "reference_trainer/plan/timeline_transfers.h"

namespace lockstep::plan {
namespace {

using activity::Activity;
using activity::Kind;

// Units of time before scaling: one FLOP is 1, and a byte of memory or of exchange is worth so many FLOPs. The ratios
// are those of a core with 50 GFLOP/s, 10 GB/s of memory and 2 GB/s to its neighbours.
constexpr double kPerByte = 5, kPerByteSent = 25;

class RankTimeline {
 public:
  RankTimeline(const Plan& plan, int rank, int64_t batch, int64_t real_bytes, activity::Trace& trace)
      : plan_(plan),
        index_(plan.mesh.data_index(rank)),
        batch_(batch),
        real_bytes_(real_bytes),
        trace_(trace),
        main_(add_track(rank, "main")) {
    if (!plan.buckets.empty()) exchange_ = add_track(rank, "communication");
    done_.resize(plan.buckets.size());
  }

  void run() {
    for (const Instruction& instruction : plan_.body) execute(instruction);
  }
  double end() const { return now_; }

 private:
  uint32_t add_track(int rank, const char* name) {
    trace_.tracks.push_back({rank, name});
    return static_cast<uint32_t>(trace_.tracks.size()) - 1;
  }

  uint32_t intern(const std::string& name) {
    trace_.names.push_back(name);
    return static_cast<uint32_t>(trace_.names.size()) - 1;
  }

  void add(uint32_t track, const std::string& name, Kind kind, double begin, double end, int32_t microbatch = -1,
           int64_t bytes = 0) {
    trace_.activities.push_back(
        {static_cast<int64_t>(begin), static_cast<int64_t>(end), intern(name), track, kind, 0, microbatch, bytes});
  }

  /// A reduction sends twice what a gather, or a reduction to shards, does.
  void start(size_t index, const char* operation, double factor) {
    const int64_t bytes = plan_.buckets[index].count * real_bytes_;
    const auto ranks = static_cast<double>(plan_.shard_members(plan_.buckets[index]).size());
    const double sent = factor * static_cast<double>(bytes) * (ranks - 1) / ranks;
    const double begin = std::max(now_, link_free_);
    done_[index] = link_free_ = begin + kPerByteSent * sent;
    add(exchange_, operation + (" bucket " + std::to_string(index)), Kind::communication, begin, link_free_, -1, bytes);
  }

  void replicate(size_t index) {
    const int64_t bytes = plan_.shard_of(plan_.buckets[index]).size() * real_bytes_;
    const auto ranks = static_cast<double>(plan_.replica_members().size());
    const double end = now_ + kPerByteSent * 2 * static_cast<double>(bytes) * (ranks - 1) / ranks;
    add(main_, "all_reduce shards of bucket " + std::to_string(index), Kind::communication, now_, end, -1, bytes);
    now_ = end;
  }

  void wait(size_t index) {
    if (done_[index] > now_) add(main_, "wait gradients", Kind::wait, now_, done_[index]);
    now_ = std::max(now_, done_[index]);
  }

  /// Whoever reads the result waits for it.
  void exchange(const LocalGraph& local, const graph::Op& op, int64_t samples, int32_t microbatch) {
    const graph::Graph& graph = local.graph;
    const Exchange& it = local.exchanges[static_cast<size_t>(op.attr.exchange)];
    const int64_t rows = rows_sent(it, samples),
                  longer = std::max(graph::bytes(graph.tensor(op.in[0]), rows, real_bytes_),
                                    graph::bytes(graph.tensor(op.out[0]), rows, real_bytes_));
    const double end = now_ + kPerByteSent * sent_by_rank(it, plan_.mesh, static_cast<double>(longer));
    add(main_, op.name, Kind::communication, now_, end, microbatch, longer);
    now_ = end;
  }

  void compute(const Instruction& i) {
    const int64_t samples = plan_.samples_of(batch_, i.microbatch, index_).size();
    for (int32_t index = i.first; index < i.last; ++index) {
      const LocalGraph& local = plan_.stages[static_cast<size_t>(i.stage)].local;
      const graph::Graph& graph = local.graph;
      const graph::Op& op = graph.ops[static_cast<size_t>(index)];
      if (op.kind == graph::OpKind::exchange) {
        exchange(local, op, samples, i.microbatch);
        continue;
      }
      if (op.kind == graph::OpKind::gather_shards) {
        const auto bucket = static_cast<size_t>(op.attr.exchange);
        if (begun_.insert(bucket).second) start(bucket, "all_gather", 1);
        if (begins_gather(op)) continue;
        begun_.erase(bucket);
        wait(bucket);
        continue;
      }
      if (op.kind == graph::OpKind::scatter_shards) {
        start(static_cast<size_t>(op.attr.exchange), "reduce_scatter", 1);
        wait(static_cast<size_t>(op.attr.exchange));
        continue;
      }
      const double cost = static_cast<double>(graph::flops(graph, op, samples)) +
                          kPerByte * static_cast<double>(graph::bytes(graph, op, samples, real_bytes_));
      add(main_, op.name, Kind::compute, now_, now_ + cost, i.microbatch);
      now_ += cost;
    }
  }

  void execute(const Instruction& i) {
    switch (i.op) {
      case Instruction::run:
        return compute(i);
      case Instruction::start:
        if (plan_.zero == 0) return start(static_cast<size_t>(i.first), "all_reduce", 2);
        return start(static_cast<size_t>(i.first), "reduce_scatter", 1);
      case Instruction::gather:
        return start(static_cast<size_t>(i.first), "all_gather", 1);
      case Instruction::wait:
        return wait(static_cast<size_t>(i.first));
      case Instruction::replicate:
        return replicate(static_cast<size_t>(i.first));
      case Instruction::update: {
        const double cost = kPerByte * 3 * static_cast<double>(plan_.flat_count * real_bytes_);
        add(main_, "update", Kind::optimizer, now_, now_ + cost);
        now_ += cost;
        return;
      }
      default:
        return;  // load, accumulate, decide, probe: no model of their cost
    }
  }

  const Plan& plan_;
  int index_;  ///< of the rank's share of the samples
  int64_t batch_, real_bytes_;
  activity::Trace& trace_;
  uint32_t main_, exchange_ = 0;
  double now_ = 0, link_free_ = 0;
  std::vector<double> done_;
  std::set<size_t> begun_;  ///< buckets whose gather is under way
};

/// The pipeline's schedule with each stage's share of the FLOPs, on all ranks that hold the stage.
void add_schedule(const Plan& plan, int64_t batch, int64_t real_bytes, std::span<const Plan> places,
                  activity::Trace& trace) {
  const schedule::Simulation simulation = schedule::simulate(*plan.schedule, {plan.stage_costs, 0});
  for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
    trace.tracks.push_back({rank, "main"});
    for (const schedule::Interval& interval : simulation.intervals) {
      if (interval.rank != plan.mesh.coordinate(rank, Axis::pp) || !schedule::computes(interval.kind)) continue;
      trace.names.push_back(text::print(text::Action{interval.stage, interval.kind, interval.microbatch}));
      trace.activities.push_back({static_cast<int64_t>(interval.start), static_cast<int64_t>(interval.end),
                                  static_cast<uint32_t>(trace.names.size()) - 1, static_cast<uint32_t>(rank),
                                  Kind::compute, 0, static_cast<int32_t>(interval.microbatch), 0});
      if (places.empty()) continue;
      for (activity::Transfer transfer : planned_transfers(places, rank, interval, batch, real_bytes)) {
        transfer.activity = static_cast<uint32_t>(trace.activities.size()) - 1;
        trace.transfers.push_back(transfer);
      }
    }
  }
}

}  // namespace

activity::Trace planned_timeline(const Plan& plan, int64_t batch, int64_t real_bytes, int64_t step_ns,
                                 std::span<const Plan> places) {
  activity::Trace trace;
  trace.origin = activity::Origin::planned;
  double longest = 1;
  if (plan.schedule) {
    add_schedule(plan, batch, real_bytes, places, trace);
    for (const Activity& a : trace.activities) longest = std::max(longest, static_cast<double>(a.end_ns));
    // Of a run without a flush a step is what one update adds to it.
    if (plan.stale) longest = schedule::slowest_stage(plan.stage_costs) * plan.microbatches;
  }
  for (int rank = 0; rank < plan.mesh.ranks() && !plan.schedule; ++rank) {
    RankTimeline timeline(plan, rank, batch, real_bytes, trace);
    timeline.run();
    longest = std::max(longest, timeline.end());
  }
  const double scale = static_cast<double>(step_ns) / longest;
  for (Activity& a : trace.activities) {
    a.begin_ns = static_cast<int64_t>(static_cast<double>(a.begin_ns) * scale);
    a.end_ns = static_cast<int64_t>(static_cast<double>(a.end_ns) * scale);
  }
  return trace;
}

}  // namespace lockstep::plan
