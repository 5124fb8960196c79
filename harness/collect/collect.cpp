#include "harness/collect/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "adapters/contract/event_reader.h"
#include "adapters/contract/failure.h"
#include "adapters/contract/job.h"
#include "harness/collect/launch_file.h"
#include "harness/collect/outcome.h"
#include "harness/collect/rows.h"
#include "harness/collect/surroundings.h"
#include "harness/exec/experiment.h"
#include "harness/exec/measure.h"
#include "harness/supervisor/order.h"
#include "results/snapshot/efficiency.h"

namespace lockstep::collect {
namespace fs = std::filesystem;
namespace {

constexpr int kTailLines = 5;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// What the worker says about itself belongs to the environment.
std::string with_versions(const std::string& environment, const contract::RunEvents& run) {
  auto document = nlohmann::ordered_json::parse(environment);
  for (const contract::RankEvents& rank : run.ranks) {
    const auto* hello = rank.first<contract::Hello>();
    if (hello == nullptr) continue;
    document["worker"] = hello->worker;
    document["device"] = hello->device;
    document["versions"] = hello->versions;
    break;
  }
  return document.dump();
}

int64_t processors(const std::string& environment) {
  const auto document = nlohmann::json::parse(environment);
  return document.contains("machine") ? document["machine"].value("processors", int64_t{1}) : 1;
}

// The first log that says something, errors before other output; empty where none does.
fs::path telling_log(const fs::path& folder) {
  std::vector<fs::path> errors, outputs;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("stderr.")) errors.push_back(entry.path());
    if (name.starts_with("stdout.")) outputs.push_back(entry.path());
  }
  std::sort(errors.begin(), errors.end()), std::sort(outputs.begin(), outputs.end());
  errors.insert(errors.end(), outputs.begin(), outputs.end());
  const auto found =
      std::find_if(errors.begin(), errors.end(), [](const fs::path& file) { return !last_lines(file, 1).empty(); });
  return found == errors.end() ? fs::path() : *found;
}

std::string log_tail(const fs::path& log) {
  return log.empty() ? "" : "\n" + log.filename().string() + ": " + last_lines(log, kTailLines);
}

std::string first_bad(const contract::RunEvents& run) {
  if (run.bad.empty()) return "";
  const contract::BadLine& bad = run.bad.front();
  return fmt::format("{}:{}: {}: {}", bad.file, bad.line, bad.problem, bad.text);
}

/// What was measured, and what is wrong with it.
struct Answer {
  contract::RunEvents run;
  std::vector<contract::EventProblem> problems;
  std::vector<contract::RankPlace> places = {};  ///< whose samples are whose; empty: each rank has its own
};

Answer workers_answer(const fs::path& folder) {
  contract::RunEvents run = contract::read_run(folder);
  contract::Job job = contract::read_job(folder / "job.json");
  std::vector<contract::EventProblem> problems = contract::check_events(run, job);
  return {std::move(run), std::move(problems), std::move(job.ranks)};
}

// A command of the user's own answers by its log.
Answer commands_answer(const fs::path& folder, store::LaunchRecord& record) {
  exec::Measured measured = exec::measure(folder, record);
  record.launch.steps = measured.steps, record.launch.warmup = measured.warmup;
  record.launch.marks.insert(record.launch.marks.end(), measured.marks.begin(), measured.marks.end());
  return {std::move(measured.run), std::move(measured.problems)};
}

void judge_launch(store::LaunchRecord& record, const Answer& answer, const std::optional<supervisor::Report>& report,
                  const fs::path& folder) {
  const Outcome outcome = judge(report, answer.run, answer.problems);
  record.launch.status = outcome.status;
  record.launch.error_kind = outcome.kind;
  record.launch.error_message = outcome.message;
  if (outcome.status != store::LaunchStatus::failed) return;
  const fs::path log = telling_log(folder);
  if (outcome.kind == "internal" && snapshot::is_command(record.cell)) {
    record.launch.error_kind = "command_failed";
    record.launch.error_message += ": " + last_lines(log, 1);
  }
  record.launch.error_message += log_tail(log);
}

}  // namespace

store::LaunchRecord collect(const fs::path& folder) {
  store::LaunchRecord record = read_launch_file(folder);
  if (store::is_over(record.launch.status)) return record;  // it was never started: nothing else is known
  const Answer answer = snapshot::is_command(record.cell) ? commands_answer(folder, record) : workers_answer(folder);
  const contract::RunEvents& run = answer.run;
  const std::optional<supervisor::Report> report = supervisor::read_report(folder.string());
  store::LaunchRow& launch = record.launch;
  judge_launch(record, answer, report, folder);
  launch.bad_events = static_cast<int64_t>(run.bad.size());
  launch.bad_events_text = first_bad(run);
  record.environment.json = with_versions(record.environment.json, run);
  if (report) {
    launch.ended_by = report->needed == "nothing" ? report->ended_by : report->ended_by + ", " + report->needed;
    launch.started_utc_ns = report->started_utc_ns, launch.ended_utc_ns = report->ended_utc_ns;
    launch.started_mono_ns = report->started_mono_ns, launch.ended_mono_ns = report->ended_mono_ns;
    launch.supervisor_json = text_of(folder / supervisor::kReportFile);
  }
  add_rows(record, run, answer.places, report);
  if (report && snapshot::is_command(record.cell)) add_process_tree(record, *report);
  add_artifacts(record, run, folder);
  for (const std::string& mark : marks(launch, run, report, processors(record.environment.json))) {
    launch.marks.push_back(mark);
  }
  if (const auto seen = read_surroundings(folder)) add_surroundings(record, *seen);
  return record;
}

bool is_complete(const fs::path& folder) {
  const std::optional<supervisor::Report> report = supervisor::read_report(folder.string());
  return report && report->ended_by != "harness" && fs::exists(folder / kLaunchFile);
}

Imported import_folder(store::Store& store, const fs::path& folder) {
  std::vector<fs::path> folders;
  if (fs::exists(folder / kLaunchFile)) folders.push_back(folder);
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename() == kLaunchFile && at->path().parent_path() != folder) {
      folders.push_back(at->path().parent_path());
    }
  }
  if (folders.empty()) {
    refuse({folder.string(), "", "", "no run folder: no launch.json in it or below",
            "name a folder like lockstep-runs/14"});
  }
  std::sort(folders.begin(), folders.end());
  Imported imported;
  const fs::path store_folder = fs::absolute(store.path()).lexically_normal().parent_path();
  for (const fs::path& one : folders) {
    store::LaunchRecord record = collect(one);
    record.launch.run_folder = fs::absolute(one).lexically_normal().lexically_relative(store_folder).string();
    ++(store.import_launch(record) ? imported.launches : imported.known);
  }
  return imported;
}

}  // namespace lockstep::collect
