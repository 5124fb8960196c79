#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::contract {

/// The major version of jobs and events. Readers ignore unknown fields and events and refuse another major version.
inline constexpr int kContract = 1;

/// What a launch is for. `time`: steps after the warm-up are timed. `verify`: fingerprints of the first steps and all
/// losses, for the proof of equal work. `converge`: evaluation by the eval rule. `profile`: as `time`, with a trace.
enum class Mode { kTime, kVerify, kConverge, kProfile };

std::string_view mode_name(Mode mode);

/// Where a rank stands. Data index d of D takes indices [d::D] of each step; all ranks of a tensor or pipeline group
/// share d.
struct RankPlace {
  int data_index = 0;
  int data_count = 1;
  int stage = 0;
  std::vector<std::string> roles = {"worker"};

  bool operator==(const RankPlace&) const = default;
};

/// When the held-out samples are evaluated, each counted once.
struct EvalRule {
  std::string metric;  ///< "test_accuracy" (fraction), "bits_per_byte", or "" for no evaluation
  int64_t every = 0;   ///< steps between evaluations; 0: only after the last step
  int64_t batch = 0;   ///< samples a forward pass; 0: the worker chooses

  bool operator==(const EvalRule&) const = default;
};

/// Saving a run in the middle, and going on with one. For adapters whose manifest says `checkpoints`.
struct Checkpoints {
  int64_t every = 0;   ///< steps between files, counted from the run's first step; 0: none is written
  std::string resume;  ///< the file to go on from; "": the job starts from `init`
  int64_t done = 0;    ///< steps that `resume` has behind it: the launch begins with the step after them

  bool operator==(const Checkpoints&) const = default;
};

/// The order to a worker: job.json. Paths are relative to the run folder, the folder of job.json.
struct Job {
  int contract = kContract;
  std::string launch_id;
  std::string workload = "{}";         ///< JSON text: the resolved workload with graph and recipe
  std::string strategy = "serial";     ///< canonical text
  std::string strategy_parsed = "{}";  ///< JSON text of the same, for workers without a parser
  std::string fabric;                  ///< canonical text, such as "threads"; "" for one rank
  std::vector<RankPlace> ranks = {{}};
  std::string init;    ///< safetensors: F32 initial parameters by name
  std::string data;    ///< safetensors: "train.*" and "test.*" arrays
  std::string order;   ///< safetensors: "indices" I64 [total] and "offsets" I64 [steps + 1]
  int64_t steps = 0;   ///< all optimizer steps of the run, the warm-up and what was done before the launch included
  int64_t warmup = 0;  ///< the launch's first steps, outside the timed region
  uint64_t seed = 1;
  std::string precision = "fp32";  ///< fp32 | fp64
  int threads = 1;                 ///< computing threads of each rank
  Mode mode = Mode::kTime;
  int64_t fingerprints = 2;  ///< mode verify: fingerprints after this many first steps, and of step 0
  EvalRule eval;
  Checkpoints checkpoints;
  std::string options = "{}";  ///< JSON text: the adapter's options, opaque to the harness

  std::filesystem::path folder;  ///< the run folder; not written

  /// A path of this job, made absolute by the run folder.
  std::filesystem::path path_of(const std::string& relative) const { return folder / relative; }
  int world() const { return static_cast<int>(ranks.size()); }

  bool operator==(const Job&) const = default;
};

/// JSON text of the job, indented. Throws Failure("internal") when one of the embedded JSON texts does not parse.
std::string job_text(const Job& job);
/// Parses and checks; `file` names the source in messages. Throws Failure("usage").
Job parse_job(std::string_view text, const std::filesystem::path& file);

/// Writes `job.folder`/job.json. Throws Failure("setup").
void write_job(const Job& job);
/// Reads a job.json. Throws Failure("usage") naming the field, the value and the rule.
Job read_job(const std::filesystem::path& file);

}  // namespace lockstep::contract
