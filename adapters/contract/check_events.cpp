#include <fmt/format.h>

#include <map>

#include "adapters/contract/event_reader.h"

/// What events of a launch must obey, one small check a rule.
namespace lockstep::contract {
namespace {

class Checker {
 public:
  Checker(const Job& job, std::vector<EventProblem>& out) : job_(job), out_(out) {}

  void check(const RankEvents& rank) {
    file_ = rank.file;
    if (rank.events.empty()) return problem("has no event: the worker never said hello");
    check_hello(rank);
    if (rank.first<Unsupported>()) return;
    check_ready(rank);
    check_steps(rank);
    check_end(rank);
  }

  void problem(const std::string& text) { out_.push_back({file_, "bad_events", text}); }
  void set_file(const std::string& file) { file_ = file; }

 private:
  void check_hello(const RankEvents& rank) {
    const Hello* hello = std::get_if<Hello>(&rank.events.front().body);
    if (!hello) return problem(fmt::format("starts with {}, not hello", event_name(rank.events.front().body)));
    if (rank.all<Hello>().size() > 1) problem("says hello twice: two processes wrote as the same rank");
    if (hello->contract != kContract) problem(fmt::format("is of contract {}, not {}", hello->contract, kContract));
    if (hello->rank != rank.rank || hello->role != rank.role)
      problem(fmt::format("says it is {} {}", hello->role, hello->rank));
    if (rank.role == "worker" && hello->world != job_.world())
      problem(fmt::format("says the world is {}, the job says {}", hello->world, job_.world()));
  }

  void check_ready(const RankEvents& rank) {
    int ready = 0;
    bool late = false;
    for (const Event& event : rank.events) {
      ready += std::holds_alternative<Ready>(event.body);
      late |= std::holds_alternative<Step>(event.body) && ready == 0;
    }
    if (late) problem("has a step before ready");
    if (ready > 1) problem(fmt::format("is ready {} times", ready));
  }

  void check_steps(const RankEvents& rank) {
    if (rank.role != "worker") return;
    int64_t expected = job_.checkpoints.done + 1, end = 0;
    for (const Event& event : rank.events) {
      const Step* step = std::get_if<Step>(&event.body);
      if (!step) continue;
      if (step->step != expected) return problem(fmt::format("step {} follows step {}", step->step, expected - 1));
      if (step->step > job_.steps) return problem(fmt::format("step {} of {}", step->step, job_.steps));
      if (step->t1 < step->t0 || step->t0 < end || step->t1 > event.t)
        return problem(
            fmt::format("step {}: stamps t0 {}, t1 {} are out of order with the step before ({}) or the "
                        "event's own time {}",
                        step->step, step->t0, step->t1, end, event.t));
      if (step->samples < 0 || step->tokens < step->samples || step->loss_weight < 0)
        return problem(fmt::format("step {}: {} samples, {} tokens, weight {}", step->step, step->samples, step->tokens,
                                   step->loss_weight));
      end = step->t1;
      ++expected;
    }
  }

  void check_end(const RankEvents& rank) {
    const EventBody& last = rank.events.back().body;
    const Done* done = std::get_if<Done>(&last);
    if (!done && !std::holds_alternative<Error>(last))
      return problem(fmt::format("ends with {}{}, not with done or error: the rank was killed or crashed",
                                 event_name(last), rank.cut ? " and half a line" : ""));
    const int64_t steps = job_.checkpoints.done + static_cast<int64_t>(rank.all<Step>().size());
    if (done && rank.role == "worker" && (steps != job_.steps || done->steps != steps))
      problem(
          fmt::format("is done with {} steps after {} step events; the job has {}", done->steps, steps, job_.steps));
  }

  const Job& job_;
  std::vector<EventProblem>& out_;
  std::string file_;
};

/// Ranks of one data group's members see the same samples; over the data ranks they must add up to the same in each
/// rank's count of the order. Without the order file at hand only this is known: ranks of one data index agree.
void check_samples(const RunEvents& run, const Job& job, std::vector<EventProblem>& out) {
  std::map<std::pair<int, int64_t>, int64_t> samples;
  for (const RankEvents& rank : run.ranks) {
    if (rank.role != "worker" || rank.rank >= job.world()) continue;
    const int data_index = job.ranks[static_cast<size_t>(rank.rank)].data_index;
    for (const Step& step : rank.all<Step>()) {
      const auto [known, fresh] = samples.try_emplace({data_index, step.step}, step.samples);
      if (fresh || known->second == step.samples) continue;
      out.push_back({rank.file, "bad_events",
                     fmt::format("step {}: {} samples, another rank of data index {} had {}", step.step, step.samples,
                                 data_index, known->second)});
      break;
    }
  }
}

}  // namespace

std::vector<EventProblem> check_events(const RunEvents& run, const Job& job) {
  std::vector<EventProblem> out;
  Checker checker(job, out);
  std::map<int, int> seen;
  for (const RankEvents& rank : run.ranks) {
    checker.check(rank);
    if (rank.role == "worker") ++seen[rank.rank];
  }
  for (int rank = 0; rank < job.world(); ++rank) {
    if (!seen.contains(rank)) out.push_back({fmt::format("events.rank{}.jsonl", rank), "start_failed", "is missing"});
  }
  for (const BadLine& line : run.bad) {
    out.push_back({line.file, "bad_events", fmt::format("line {}: {}: {}", line.line, line.problem, line.text)});
  }
  check_samples(run, job, out);
  return out;
}

}  // namespace lockstep::contract
