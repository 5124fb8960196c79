// lockstep-worker from end to end: a job folder in, events, fingerprints and traces out, on threads and under mpirun.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "adapters/contract/event_reader.h"
#include "adapters/contract/failure.h"
#include "adapters/contract/job.h"
#include "adapters/contract/proof.h"
#include "profiler/sinks/trace_file.h"
#include "tests/conformance/training_run.h"

namespace lockstep::conformance {
namespace {

using contract::Job;
using contract::Mode;
using contract::ProofStatus;

/// mlp-digits on synthetic data: needs no package.
const Setting& setting() {
  static const Setting setting("mlp-digits", "micro", {"data=synthetic"});
  return setting;
}

/// A job in a run folder of its own; `name` tells it from the others of this process.
Job job_of(const std::string& name, int ranks, const std::string& fabric, Mode mode) {
  Job job;
  job.folder = shared_folder() / name;
  std::filesystem::create_directories(job.folder);
  job.launch_id = name;
  job.workload = setting().workload().json();
  job.strategy = ranks == 1 ? "serial" : fmt::format("dp{}", ranks);
  job.fabric = ranks == 1 ? "" : fabric;
  job.ranks.clear();
  for (int rank = 0; rank < ranks; ++rank) job.ranks.push_back({rank, ranks, 0, {"worker"}});
  job.init = setting().init();
  job.data = setting().data();
  job.order = setting().order();
  job.steps = setting().workload().steps;
  job.warmup = 10;
  job.mode = mode;
  return job;
}

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Runs the worker; true when it ended with exit code 0. What it prints lies in its folder.
bool launch(const Job& job) {
  write_job(job);
  std::string command = LOCKSTEP_BIN_DIR "/lockstep-worker " + (job.folder / "job.json").string();
  if (job.fabric == "mpi") {
    command = fmt::format(
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe --bind-to "
        "none -n {} {}",
        job.world(), command);
  }
  return std::system((command + " > " + (job.folder / "output").string() + " 2>&1").c_str()) == 0;
}

/// The events of a launch that must go well.
contract::RunEvents good_run(const Job& job) {
  EXPECT_TRUE(launch(job)) << text_of(job.folder / "output");
  contract::RunEvents run = contract::read_run(job.folder);
  for (const auto& problem : contract::check_events(run, job)) ADD_FAILURE() << problem.file << ": " << problem.text;
  EXPECT_EQ(run.ranks.size(), static_cast<size_t>(job.world()));
  return run;
}

/// Why the fabric cannot be tried here; empty when it can.
std::string missing(const std::string& fabric) {
  if (fabric != "mpi") return "";
#ifdef LOCKSTEP_MPI
  return std::system("command -v mpirun > /dev/null") == 0 ? "" : "no mpirun in PATH; install openmpi-bin";
#else
  return "this build has no MPI";
#endif
}

class Worker : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = missing(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
  Job job(const std::string& name, Mode mode, int ranks = 2) const {
    return job_of(name + "-" + GetParam(), ranks, GetParam(), mode);
  }
};

TEST_P(Worker, WritesTheEventsOfATimedLaunch) {
  const auto run = good_run(job("time", Mode::kTime));
  int64_t samples = 0;
  for (const contract::RankEvents& rank : run.ranks) {
    const auto* ready = rank.first<contract::Ready>();
    ASSERT_NE(ready, nullptr);
    EXPECT_EQ(ready->parameters, 64 * 12 + 12 + 12 * 8 + 8 + 8 * 10 + 10);
    EXPECT_EQ(rank.first<contract::Done>()->steps, 100);
    for (const contract::Step& step : rank.all<contract::Step>()) {
      samples += step.samples;
      EXPECT_GT(step.bytes_sent.value_or(0), 0) << "step " << step.step;
    }
  }
  const workloads::SafetensorsFile order(setting().order());
  EXPECT_EQ(samples, order.at("offsets").values<int64_t>().back()) << "each sample of the order once";
  EXPECT_TRUE(contract::peak_pss_bytes(run).has_value());
}

TEST_P(Worker, EvaluatesAllHeldOutSamplesByTheRule) {
  Job converge = job("converge", Mode::kConverge);
  converge.eval = {"test_accuracy", 40, 0};
  const auto run = good_run(converge);
  std::vector<int64_t> steps;
  for (const contract::Eval& eval : run.ranks[0].all<contract::Eval>()) {
    steps.push_back(eval.step);
    EXPECT_EQ(eval.metric, "test_accuracy");
    const double right = eval.value * static_cast<double>(setting().workload().test_samples);
    EXPECT_NEAR(right, std::round(right), 1e-6) << "a count over all samples";
  }
  EXPECT_THAT(steps, testing::ElementsAre(40, 80, 100));
  EXPECT_TRUE(run.ranks[1].all<contract::Eval>().empty());
}

TEST_P(Worker, ProfilesIntoReadableTraces) {
  const Job profile = job("profile", Mode::kProfile);
  const auto run = good_run(profile);
  for (int rank = 0; rank < 2; ++rank) {
    const auto artifacts = run.ranks[static_cast<size_t>(rank)].all<contract::Artifact>();
    ASSERT_FALSE(artifacts.empty());
    EXPECT_EQ(artifacts[0].format, profiler::kTraceFormat);
    const activity::Trace trace = profiler::read_trace(profile.path_of(artifacts[0].path));
    EXPECT_EQ(trace.origin, activity::Origin::measured);
    EXPECT_EQ(trace.dropped, 0);
    std::map<activity::Kind, int> kinds;
    for (const activity::Activity& a : trace.activities) {
      ++kinds[a.kind];
      if (a.kind != activity::Kind::compute) continue;
      EXPECT_GE(a.step, 10) << "the warm-up is forgotten";
    }
    EXPECT_EQ(kinds[activity::Kind::optimizer], 90) << "an update a timed step";
    EXPECT_GE(kinds[activity::Kind::communication], 90);
    EXPECT_EQ(trace.tracks[0].rank, rank);
  }
}

/// A verify launch: what it left for the proof.
contract::WorkRecord record_of(const Job& job) {
  const auto run = good_run(job);
  const auto record = contract::work_record(run);
  EXPECT_EQ(record.fingerprints.size(), 3u) << "of steps 0, 1 and 2";
  EXPECT_EQ(record.losses.size(), 100u);
  return record;
}

contract::Proof proof_of(const Job& candidate) {
  static const contract::WorkRecord serial = record_of(job_of("serial", 1, "", Mode::kVerify));
  return contract::compare_work(serial, record_of(candidate), contract::tolerances("fp32", true),
                                setting().workload().recipe.lr);
}

TEST_P(Worker, HoldsTheProofOfEqualWork) {
  for (int ranks : {2, 3}) {
    const contract::Proof proof = proof_of(job(fmt::format("honest{}", ranks), Mode::kVerify, ranks));
    EXPECT_EQ(proof.status, ProofStatus::kHeld) << proof.reason;
    EXPECT_GE(proof.differences.size(), 4u);
  }
}

INSTANTIATE_TEST_SUITE_P(Fabrics, Worker, testing::Values("threads", "mpi"),
                         [](const auto& info) { return std::string(info.param); });

/// A deliberate fault, and the check of the proof that has to find it.
struct Fault {
  const char *name, *check;
};

class FaultyWorker : public testing::TestWithParam<Fault> {};

TEST_P(FaultyWorker, FailsTheProofOfEqualWork) {
  Job job = job_of(fmt::format("fault-{}", GetParam().name), 2, "threads", Mode::kVerify);
  job.options = fmt::format(R"({{"fault": "{}"}})", GetParam().name);
  const contract::Proof proof = proof_of(job);
  EXPECT_EQ(proof.status, ProofStatus::kFailed);
  EXPECT_NE(proof.reason, "");
  const bool found = std::any_of(proof.differences.begin(), proof.differences.end(), [](const auto& difference) {
    return difference.check == GetParam().check && !difference.held();
  });
  EXPECT_TRUE(found) << proof.reason;
}

INSTANTIATE_TEST_SUITE_P(Faults, FaultyWorker,
                         testing::Values(Fault{"gradient_scale", "gradients"}, Fault{"drop_sample", "gradients"},
                                         Fault{"weight_decay", "parameters"}, Fault{"momentum", "parameters"}),
                         [](const auto& info) { return std::string(info.param.name); });

/// The steps of rank 0 by number.
std::map<int64_t, double> losses_of(const Job& job) {
  EXPECT_TRUE(launch(job)) << text_of(job.folder / "output");
  std::map<int64_t, double> losses;
  const auto run = contract::read_run(job.folder);
  for (const contract::Step& step : run.ranks.at(0).all<contract::Step>()) losses[step.step] = step.loss;
  return losses;
}

TEST(ResumedWorker, GoesOnWithTheSameBits) {
  Job straight = job_of("straight", 2, "threads", Mode::kTime), resumed = job_of("resumed", 2, "threads", Mode::kTime);
  straight.checkpoints.every = 60;
  const auto whole = losses_of(straight);
  resumed.checkpoints = {0, (straight.folder / "checkpoint-60.safetensors").string(), 60};
  const auto rest = losses_of(resumed);
  ASSERT_EQ(rest.size(), 40u);
  for (const auto& [step, loss] : rest) EXPECT_EQ(loss, whole.at(step)) << "step " << step;
}

struct Bad {
  const char* name;
  void (*spoil)(Job&);
  std::string kind, text;
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

class FailingWorker : public testing::TestWithParam<Bad> {};

/// A failure ends the launch with exit code 1 and is the last event of each rank that lived.
TEST_P(FailingWorker, SaysWhy) {
  Job job = job_of(fmt::format("bad-{}", GetParam().name), 2, "threads", Mode::kTime);
  GetParam().spoil(job);
  EXPECT_FALSE(launch(job));
  const auto run = contract::read_run(job.folder);
  ASSERT_FALSE(run.ranks.empty());
  for (const contract::RankEvents& rank : run.ranks) {
    const auto* error = rank.first<contract::Error>();
    const auto* unsupported = rank.first<contract::Unsupported>();
    ASSERT_TRUE(error || unsupported) << rank.file;
    EXPECT_EQ(error ? error->kind : "unsupported", GetParam().kind);
    EXPECT_THAT(error ? error->message : unsupported->reason, testing::HasSubstr(GetParam().text));
  }
}

std::vector<Bad> bad_jobs() {
  return {
      {"fault", [](Job& job) { job.options = R"({"fault": "gradient"})"; }, "setup",
       "no such fault; known are gradient_scale, drop_sample, weight_decay, momentum"},
      {"option", [](Job& job) { job.options = R"({"kernel": "naive"})"; }, "setup",
       "unknown option of the reference trainer; the nearest known one is \"kernels\""},
      {"strategy", [](Job& job) { job.strategy = "ep2"; }, "unsupported", "ep2 splits nothing in this workload"},
      {"order", [](Job& job) { job.steps *= 10; }, "setup", "holds the samples of 100 steps, the job asks for 1000"},
      {"ranks", [](Job& job) { job.strategy = "dp3"; }, "setup", "strategy dp3 has 3 ranks"},
      {"fabric", [](Job& job) { job.fabric = "sockets"; }, "unsupported", "this build of the reference trainer has"},
      {"lr",
       [](Job& job) {
         workloads::Workload workload = setting().workload();
         workload.recipe.lr = workload.recipe.weight_decay = 1000;  // weights grow a millionfold a step
         workload.recipe.warmup_steps = 0;
         job.workload = workload.json();
       },
       "non_finite_loss", "is not finite"},
  };
}

INSTANTIATE_TEST_SUITE_P(Jobs, FailingWorker, testing::ValuesIn(bad_jobs()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lockstep::conformance
