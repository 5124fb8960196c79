#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "adapters/contract/event_writer.h"
#include "adapters/contract/failure.h"
#include "adapters/contract/job.h"
#include "adapters/contract/memory.h"

/// lockstep-fake-worker JOB.json | --probe: pretends to train, and misbehaves as the job's options say (README.md).
namespace lockstep::fake {
namespace {

using namespace lockstep::contract;

struct Options {
  int64_t step_ns = 1'000'000;
  std::string misbehave = "none";
  int64_t at = 5;
  int rank = 0;
  uint64_t seed = 0;
};

/// Options travel as texts ("500") or numbers.
int64_t number(const nlohmann::json& options, const char* key, int64_t fallback) {
  if (!options.contains(key)) return fallback;
  const nlohmann::json& value = options.at(key);
  return value.is_string() ? std::stoll(value.get<std::string>()) : value.get<int64_t>();
}

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

Options read_options(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text);
  Options options;
  // A wrapper stands in for another build: of another revision, of another speed.
  const double factor = std::stod(variable("LOCKSTEP_FAKE_FACTOR", "1"));
  options.step_ns = static_cast<int64_t>(static_cast<double>(number(json, "step_us", 1000)) * 1000 * factor);
  options.misbehave = json.value("misbehave", "none");
  options.at = number(json, "at", 5);
  options.rank = static_cast<int>(number(json, "rank", 0));
  options.seed = static_cast<uint64_t>(number(json, "seed", 0));
  return options;
}

/// Busy, as real work is: a sleeping worker would not take the processor's time.
void work_for(int64_t ns) {
  for (const int64_t end = now_ns() + ns; now_ns() < end;) {
  }
}

/// A factor in [0.97, 1.03] of step `step` of `rank` (SplitMix64, Steele et al. 2014), 1 without a seed.
double variation(uint64_t seed, int rank, int64_t step) {
  if (seed == 0) return 1;
  uint64_t z = seed + 0x9e3779b97f4a7c15u * static_cast<uint64_t>(step * 1009 + rank + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return 0.97 + 0.06 * static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

void append_raw(const Job& job, int rank, const std::string& text) {
  std::FILE* file = std::fopen((job.folder / event_file_name(rank)).c_str(), "ab");
  if (!file) return;
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
}

void leak_child() {
  if (fork() != 0) return;
  setsid();
  signal(SIGTERM, SIG_IGN);
  for (;;) pause();
}

[[noreturn]] void hang() {
  for (;;) pause();
}

/// One rank from hello to done.
class Rank {
 public:
  /// `reports_memory`: the first rank of a process does.
  Rank(const Job& job, const Options& options, int rank, bool reports_memory)
      : job_(job),
        options_(options),
        rank_(rank),
        reports_memory_(reports_memory),
        is_bad_(options.rank == rank || options.rank < 0),
        events_(job.folder, rank) {}

  void run() {
    events_.write(Hello{kContract,
                        "fake",
                        {{"fake", "1"}, {"git", variable("LOCKSTEP_FAKE_GIT", "unknown")}},
                        getpid(),
                        host(),
                        rank_,
                        job_.world(),
                        "worker",
                        "cpu",
                        clock_anchor()});
    if (bad("claim")) {
      events_.write(Unsupported{job_.strategy, "told to claim falsely"});
      events_.write(Done{0, "unsupported"});
      return;
    }
    events_.write(Ready{1000, 4000, 6000.0});
    fingerprint(0);
    for (int64_t step = 1; step <= job_.steps; ++step) {
      if (step == job_.warmup + 1) events_.begin_timed(job_.steps - job_.warmup);
      if (!one_step(step)) return;
      fingerprint(step);
    }
    events_.end_timed();
    finish();
  }

 private:
  bool bad(const char* how) const { return is_bad_ && options_.misbehave == how; }

  static std::string host() {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return name;
  }

  /// False when the rank ends here.
  bool one_step(int64_t step) {
    if (step == options_.at && is_bad_ && !misbehave(step)) return false;
    const int64_t t0 = now_ns();
    work_for(static_cast<int64_t>(static_cast<double>(options_.step_ns) * slowness(step) *
                                  variation(options_.seed, rank_, step)));
    const int64_t t1 = bad("lie") && step >= options_.at ? t0 + (now_ns() - t0) / 1000 : now_ns();
    if (bad("silent") && step >= options_.at) return true;
    const RankPlace& place = job_.ranks[static_cast<size_t>(rank_)];
    const int64_t samples = (12 + place.data_count - 1 - place.data_index) / place.data_count;
    const bool poisoned = bad("nan") && step >= options_.at;
    const double loss = poisoned ? std::numeric_limits<double>::quiet_NaN() : 2.3 / std::sqrt(double(step));
    events_.step({step, t0, t1, samples, samples, loss, static_cast<double>(samples), 0, 0});
    if (poisoned) events_.write(Error{"non_finite_loss", fmt::format("the loss of step {} is NaN", step)});
    return !poisoned;
  }

  double slowness(int64_t step) const {
    if (bad("slow") && step >= options_.at) return 10;
    if (bad("stall") && step >= options_.at && step % 50 == 0) return 50;
    return 1;
  }

  /// What happens once, at the step `at`; false when the rank ends with it.
  bool misbehave(int64_t step) {
    const std::string& how = options_.misbehave;
    if (how == "crash" || (how == "unproved" && job_.mode == Mode::kVerify)) std::abort();
    if (how == "stubborn") signal(SIGTERM, SIG_IGN);
    if (how == "hang" || how == "stubborn") hang();
    if (how == "leak") leak_child();
    if (how == "die") std::_Exit(0);
    if (how == "rubbish") {
      std::puts("rubbish on stdout \x01\xff");
      std::fputs("rubbish on stderr\n", stderr);
      append_raw(job_, rank_, "this is no event\n{\"e\":\"step\",\"t\":\"yesterday\"}\n{\"e\":\"dance\",\"t\":1}\n");
    }
    if (how == "half_line") {
      events_.end_timed();
      append_raw(job_, rank_, fmt::format("{{\"e\":\"step\",\"t\":1,\"step\":{},\"t0", step));
      raise(SIGKILL);
    }
    return true;
  }

  void fingerprint(int64_t step) {
    if (job_.mode != Mode::kVerify || rank_ != 0 || step > job_.fingerprints) return;
    Fingerprint print{step, {{"w", 1.0 - 0.01 * static_cast<double>(step)}}, {}};
    if (step > 0) print.gradients["w"] = 0.1;
    events_.write(print);
  }

  void finish() {
    if (bad("silent")) return;
    const auto memory = process_memory();
    if (memory && reports_memory_) {
      events_.write(Memory{"rss", memory->rss, memory->peak_rss});
      events_.write(Memory{"pss", memory->pss, memory->peak_pss()});
    }
    events_.write(Done{job_.steps, "ok"});
  }

  const Job& job_;
  const Options& options_;
  int rank_;
  bool reports_memory_;
  bool is_bad_;
  EventWriter events_;
};

/// The ranks of this process: all of them, or the one that the launcher names.
std::vector<int> own_ranks(const Job& job) {
  for (const char* name : {"RANK", "OMPI_COMM_WORLD_RANK"}) {
    if (const char* value = std::getenv(name)) return {std::atoi(value)};
  }
  std::vector<int> all;
  for (int rank = 0; rank < job.world(); ++rank) all.push_back(rank);
  return all;
}

void run(const char* file) {
  const Job job = read_job(file);
  const Options options = read_options(job.options);
  const std::vector<int> ranks = own_ranks(job);
  std::vector<std::thread> threads;
  for (const int rank : ranks) {
    threads.emplace_back([&, rank] {
      try {
        Rank(job, options, rank, rank == ranks.front()).run();
      } catch (const std::exception& error) {
        std::fprintf(stderr, "lockstep-fake-worker: rank %d: %s\n", rank, error.what());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace lockstep::fake

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--probe") {
    std::puts(
        R"({"contract":1,"worker":"fake","versions":{"fake":"1"},"capabilities":{"strategies":{"serial":"","dp{n}":""}}})");
    return 0;
  }
  if (argc != 2) {
    std::fputs("usage: lockstep-fake-worker JOB.json | --probe\n", stderr);
    return 2;
  }
  try {
    lockstep::fake::run(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lockstep-fake-worker: %s\n", error.what());
    return 1;
  }
}
