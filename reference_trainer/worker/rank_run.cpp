#include "reference_trainer/worker/rank_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "adapters/contract/event_writer.h"
#include "adapters/contract/failure.h"
#include "adapters/contract/memory.h"
#include "profiler/sinks/trace_file.h"
#include "reference_trainer/comm/communicator.h"
#include "reference_trainer/graph/cost.h"
#include "reference_trainer/plan/timeline.h"
#include "reference_trainer/plan/timeline_transfers.h"
#include "reference_trainer/train/checkpoint.h"
#include "reference_trainer/train/evaluator.h"
#include "reference_trainer/train/trainer.h"
#include "reference_trainer/worker/threads.h"

namespace lockstep::worker {
namespace {

using contract::EventWriter;
using contract::Mode;

constexpr size_t kTraceCapacity = 1 << 20;  // records a rank: 56 MiB, and 24 MiB for what they transfer
constexpr int64_t kEvaluationBatch = 250;

template <class Real>
class RankRun {
 public:
  RankRun(const Launch& launch, comm::Transport& transport, EventWriter& events)
      : launch_(launch),
        job_(launch.job),
        events_(events),
        faults_(fault_named(launch.options.fault)),
        recorder_(make_recorder(transport.rank())),
        communicator_(transport, communicator_options()),
        plan_(make_plan(transport.rank())),
        data_(job_.path_of(job_.data)),
        order_(job_.path_of(job_.order)),
        indices_(order_.at("indices").values<int64_t>()),
        offsets_(order_.at("offsets").values<int64_t>()),
        trainer_(plan_, launch.workload, data_, communicator_, trainer_options()) {}

  void run() {
    check_order();
    load();
    write_ready();
    const bool timed = job_.mode == Mode::kTime || job_.mode == Mode::kProfile;
    const int64_t warm = first_step_ + (timed ? job_.warmup : 0);
    for (int64_t s = first_step_; s < warm; ++s) step(s);
    if (reports_memory()) contract::reset_peak_memory();
    if (recorder_) recorder_->forget();
    communicator_.barrier("start of the timed region");
    events_.begin_timed(job_.steps - warm);
    dropped_ = 0;
    for (int64_t s = warm; s < job_.steps; ++s) step(s);
    events_.end_timed();
    finish();
  }

 private:
  plan::Plan make_plan(int rank) const {
    plan::PlanOptions options;
    options.real_bytes = sizeof(Real);
    options.rank = rank;
    return plan::make_plan(launch_.graph, launch_.strategy, options);
  }

  /// Throws Failure of kind setup where the order's file does not say which samples each step of the job takes.
  void check_order() const {
    const auto steps = static_cast<int64_t>(offsets_.size()) - 1;
    if (steps < job_.steps) {
      throw Failure("setup", fmt::format("{}: holds the samples of {} steps, the job asks for {}; write it for as many",
                                         job_.order, std::max<int64_t>(steps, 0), job_.steps));
    }
    const bool ascends = std::is_sorted(offsets_.begin(), offsets_.end()) && offsets_.front() >= 0;
    if (!ascends || offsets_.back() > static_cast<int64_t>(indices_.size())) {
      throw Failure("setup", fmt::format("{}: offsets must ascend from 0 to at most the number of indices, {}",
                                         job_.order, indices_.size()));
    }
  }

  bool is_first() const { return communicator_.rank() == 0; }
  bool reports_memory() const { return is_first() || !launch_.many_ranks_a_process; }

  std::optional<profiler::Recorder> make_recorder(int rank) const {
    if (job_.mode != Mode::kProfile) return std::nullopt;
    return std::optional<profiler::Recorder>(std::in_place, rank, kTraceCapacity);
  }

  comm::CommunicatorOptions communicator_options() {
    comm::CommunicatorOptions options;
    options.deadline = std::chrono::seconds(launch_.options.deadline_s);
    if (!recorder_) return options;
    const uint32_t track = recorder_->track("communication");
    const bool moves = job_.fabric != "null";
    options.observe = [this, track, moves](const comm::Span& span) {
      const bool wait = span.kind == comm::Span::wait;
      if (span.kind == comm::Span::round) return;  // the operation's own span covers its rounds
      transfers_.clear();
      for (const comm::Moved& moved : span.moved) {
        const auto way = moved.way == comm::Moved::send ? activity::Transfer::send : activity::Transfer::recv;
        if (moves) transfers_.push_back({way, 0, moved.peer, moved.tag, moved.bytes});
      }
      recorder_->record(track, recorder_->intern(span.name),
                        wait ? activity::Kind::wait : activity::Kind::communication, span.begin, span.end, -1,
                        span.bytes, transfers_);
    };
    return options;
  }

  train::EngineOptions engine_options() const {
    const auto precision = job_.precision == "fp64" ? kernels::Precision::fp64 : kernels::Precision::fp32;
    return {&kernels::kernel_set(launch_.options.kernels, precision), precision, job_.threads};
  }

  train::TrainerOptions trainer_options() {
    train::TrainerOptions options{engine_options(), nullptr, 1, job_.folder};
    if (recorder_) options.recorder = &*recorder_;
    options.gradient_fault = faults_.gradient_scale;
    return options;
  }

  void load() {
    if (job_.checkpoints.resume.empty()) {
      const workloads::SafetensorsFile init(job_.path_of(job_.init));
      trainer_.state().load_parameters(init);
    } else {
      resume();
    }
    if (job_.mode == Mode::kVerify) write_fingerprint(0, {});
  }

  void resume() {
    const std::string& file = job_.checkpoints.resume;
    first_step_ = train::load_checkpoint(job_.path_of(file), trainer_);
    if (first_step_ == job_.checkpoints.done) return;
    throw Failure("setup", fmt::format("{}: has {} steps behind it, the job says {}; name another file or correct "
                                       "checkpoints.done",
                                       file, first_step_, job_.checkpoints.done));
  }

  void write_fingerprint(int64_t steps_done, const train::Norms& gradients) {
    const train::Norms parameters = trainer_.parameter_norms();
    if (is_first()) events_.write(contract::Fingerprint{steps_done, parameters, gradients});
  }

  void write_ready() {
    contract::Ready ready;
    ready.parameters = graph::parameter_count(plan_.whole);
    ready.parameter_bytes = ready.parameters * int64_t{sizeof(Real)};
    ready.flops_per_sample = static_cast<double>(graph::model_flops_per_sample(plan_.whole));
    events_.write(ready);
  }

  std::span<const int64_t> samples_of(int64_t s) const {
    const auto begin = static_cast<size_t>(offsets_[static_cast<size_t>(s)]);
    auto count = static_cast<size_t>(offsets_[static_cast<size_t>(s) + 1]) - begin;
    if (faults_.drop_sample && count > 1) --count;
    return indices_.subspan(begin, count);
  }

  int64_t evaluates_every() const { return job_.mode == Mode::kConverge ? job_.eval.every : 0; }

  /// Where a pipeline without a flush is empty next after step s: before a checkpoint, an evaluation, and the end.
  int64_t drains_after(int64_t s) const {
    int64_t end = job_.steps;
    for (int64_t every : {job_.checkpoints.every, evaluates_every()}) {
      if (every > 0) end = std::min(end, (s / every + 1) * every);
    }
    return end;
  }

  void step(int64_t s) {
    if (trainer_.stretch_is_over()) trainer_.begin({s, drains_after(s), [this](int64_t k) { return samples_of(k); }});
    const bool fingerprint = job_.mode == Mode::kVerify && s < job_.fingerprints;
    train::Norms gradients;
    contract::Step event;
    event.step = s + 1;
    event.t0 = contract::now_ns();
    const train::StepResult result = trainer_.step(fingerprint ? &gradients : nullptr);
    event.t1 = contract::now_ns();
    event.samples = result.samples;
    event.tokens = result.positions;
    event.loss = result.loss;
    event.loss_weight = static_cast<double>(result.loss_positions);
    event.bytes_sent = result.bytes_sent;
    event.messages = result.messages;
    events_.step(event);
    dropped_ += result.dropped;
    if (recorder_) step_ns_.push_back(event.t1 - event.t0);
    if (fingerprint) write_fingerprint(s + 1, gradients);
    if (job_.checkpoints.every > 0 && (s + 1) % job_.checkpoints.every == 0) checkpoint(s + 1);
    if (evaluates_every() > 0 && (s + 1) % evaluates_every() == 0 && s + 1 < job_.steps) evaluate(s + 1);
  }

  void checkpoint(int64_t steps_done) {
    const std::string name = fmt::format("checkpoint-{}.safetensors", steps_done);
    train::save_checkpoint(job_.path_of(name), trainer_, steps_done, {{"lockstep.seed", std::to_string(job_.seed)}});
    if (is_first()) events_.write(contract::Artifact{"checkpoint", name, "safetensors"});
  }

  void evaluate(int64_t steps_done) {
    if (job_.eval.metric.empty()) return;
    if (!evaluator_) evaluator_.emplace(trainer_, launch_.workload, data_, engine_options());
    const int64_t batch = job_.eval.batch > 0 ? job_.eval.batch : kEvaluationBatch;
    const train::Evaluation result = evaluator_->run(batch);
    if (is_first()) {
      const int64_t seen = offsets_[static_cast<size_t>(steps_done)];
      events_.write(contract::Eval{steps_done, seen, job_.eval.metric, result.metric(job_.eval.metric)});
    }
  }

  void finish() {
    evaluate(job_.steps);
    write_memory();
    write_dropped();
    write_loss_scale();
    if (recorder_) write_trace(fmt::format("trace.rank{}.json", communicator_.rank()), recorder_->take());
    if (recorder_ && is_first()) {
      const std::vector<plan::Plan> places = plan::plan_places(launch_.graph, launch_.strategy, {sizeof(Real)});
      const auto planned =
          plan::planned_timeline(plan_, launch_.workload.recipe.batch, sizeof(Real), median_step_ns(), places);
      write_trace("trace.planned.json", planned);
    }
    communicator_.barrier("end");
    events_.write(contract::Done{job_.steps});
  }

  void write_trace(const std::string& name, const activity::Trace& trace) {
    profiler::write_trace(job_.path_of(name), trace);
    events_.write(contract::Artifact{"trace", name, profiler::kTraceFormat});
  }

  int64_t median_step_ns() {
    std::ranges::sort(step_ns_);
    return step_ns_.empty() ? 0 : step_ns_[step_ns_.size() / 2];
  }

  /// Of mixtures of experts: of ranks that route the same tokens one tells.
  void write_dropped() {
    const bool routes =
        std::ranges::any_of(plan_.stages, [](const auto& stage) { return !stage.graph().dropped.empty(); });
    const bool first = std::ranges::all_of(plan_.model_axes(), [&](plan::Axis axis) {
      return axis == plan::Axis::pp || plan::deals_samples(axis) ||
             plan_.mesh.coordinate(communicator_.rank(), axis) == 0;
    });
    if (routes && first)
      events_.write(contract::Metric{"dropped_choices", job_.steps, static_cast<double>(dropped_), "choices"});
  }

  void write_loss_scale() {
    if (!plan_.scales_loss() || !is_first()) return;
    const train::LossScale& scale = trainer_.loss_scale();
    events_.write(contract::Metric{"skipped_steps", job_.steps, static_cast<double>(scale.skipped()), "steps"});
    events_.write(contract::Metric{"loss_scale", job_.steps, scale.value(), "times"});
  }

  void write_memory() {
    const auto bytes = [](std::span<Real> values) { return static_cast<int64_t>(values.size_bytes()); };
    train::ModelState<Real>& state = trainer_.state();
    const std::array<std::pair<const char*, int64_t>, 6> categories = {{{"parameters", bytes(state.parameters())},
                                                                        {"stashed", state.bytes_of_stashed()},
                                                                        {"gradients", bytes(state.gradients())},
                                                                        {"optimizer", state.bytes_of_optimizer()},
                                                                        {"offloaded", state.bytes_of_offloaded()},
                                                                        {"activations", trainer_.arena_bytes()}}};
    for (const auto& [category, size] : categories) {
      const bool is_usual = std::string_view(category) != "stashed" && std::string_view(category) != "offloaded";
      if (size == 0 && !is_usual) continue;
      events_.write(contract::Memory{category, size, size});
    }
    const auto process = contract::process_memory();
    if (!process || !reports_memory()) return;
    events_.write(contract::Memory{"pss", process->pss, process->peak_pss()});
    events_.write(contract::Memory{"rss", process->rss, process->peak_rss});
  }

  const Launch& launch_;
  const contract::Job& job_;
  EventWriter& events_;
  const Faults faults_;
  std::optional<profiler::Recorder> recorder_;
  std::vector<activity::Transfer> transfers_;  ///< of the operation that is being recorded
  comm::Communicator communicator_;
  const plan::Plan plan_;
  workloads::SafetensorsFile data_, order_;
  std::span<const int64_t> indices_, offsets_;
  train::Trainer<Real> trainer_;
  std::optional<train::Evaluator<Real>> evaluator_;
  std::vector<int64_t> step_ns_;  ///< of a profiled launch: the planned timeline is scaled to their median
  int64_t first_step_ = 0;
  int64_t dropped_ = 0;  ///< in the timed region
};

contract::Hello hello_of(const Launch& launch, const comm::Transport& transport) {
  contract::Hello hello;
  hello.worker = "lockstep-worker";
  hello.versions = launch.versions;
  hello.pid = getpid();
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  hello.host = host.data();
  hello.rank = transport.rank();
  hello.world = transport.size();
  hello.clock = contract::clock_anchor();
  return hello;
}

/// Writes the exception in flight as the rank's last event and returns its text.
std::string report_current(EventWriter& events, const Launch& launch) {
  std::string kind = "internal", message = "an exception of an unknown type";
  try {
    throw;
  } catch (const Failure& failure) {
    kind = failure.kind(), message = failure.what();
  } catch (const std::bad_alloc&) {
    kind = "out_of_memory", message = "an allocation failed; take a smaller batch or preset";
  } catch (const std::exception& error) {
    message = error.what();
  } catch (...) {
    // Nothing of ours throws anything else; the text above says so.
  }
  if (kind == "unsupported") {
    events.write(contract::Unsupported{launch.job.strategy, message});
  } else {
    events.write(contract::Error{kind, message});
  }
  return message;
}

template <class Real>
void train(const Launch& launch, comm::Transport& transport, EventWriter& events) {
  std::optional<RankRun<Real>> run;
  try {
    run.emplace(launch, transport, events);
    run->run();
  } catch (...) {
    // First the event, since under MPI the launch ends with abort(); then nobody may touch this rank's buffers, which
    // go with `run`.
    transport.abort(report_current(events, launch));
    throw;
  }
}

}  // namespace

void run_rank(const Launch& launch, comm::Transport& transport) {
  EventWriter events(launch.job.folder, transport.rank());
  set_threads(launch.job.threads);
  events.write(hello_of(launch, transport));
  if (launch.job.precision == "fp64") return train<double>(launch, transport, events);
  train<float>(launch, transport, events);
}

}  // namespace lockstep::worker
