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
#include "harness/supervisor/order.h"

namespace lockstep::collect {
namespace fs = std::filesystem;
namespace {

constexpr int kStderrLines = 5;

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

// The first file of errors that says something, at its end.
std::string stderr_tail(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("stderr.")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const std::string lines = last_lines(file, kStderrLines);
    if (!lines.empty()) return "\n" + file.filename().string() + ": " + lines;
  }
  return "";
}

std::string first_bad(const contract::RunEvents& run) {
  if (run.bad.empty()) return "";
  const contract::BadLine& bad = run.bad.front();
  return fmt::format("{}:{}: {}: {}", bad.file, bad.line, bad.problem, bad.text);
}

void judge_launch(store::LaunchRecord& record, const contract::RunEvents& run, const contract::Job& job,
                  const std::optional<supervisor::Report>& report, const fs::path& folder) {
  const Outcome outcome = judge(report, run, contract::check_events(run, job));
  record.launch.status = outcome.status;
  record.launch.error_kind = outcome.kind;
  record.launch.error_message = outcome.message;
  if (outcome.status == store::LaunchStatus::failed) record.launch.error_message += stderr_tail(folder);
}

}  // namespace

store::LaunchRecord collect(const fs::path& folder) {
  store::LaunchRecord record = read_launch_file(folder);
  const contract::Job job = contract::read_job(folder / "job.json");
  const contract::RunEvents run = contract::read_run(folder);
  const std::optional<supervisor::Report> report = supervisor::read_report(folder.string());
  store::LaunchRow& launch = record.launch;
  judge_launch(record, run, job, report, folder);
  launch.bad_events = static_cast<int64_t>(run.bad.size());
  launch.bad_events_text = first_bad(run);
  record.environment.json = with_versions(record.environment.json, run);
  if (report) {
    launch.ended_by = report->needed == "nothing" ? report->ended_by : report->ended_by + ", " + report->needed;
    launch.started_utc_ns = report->started_utc_ns, launch.ended_utc_ns = report->ended_utc_ns;
    launch.started_mono_ns = report->started_mono_ns, launch.ended_mono_ns = report->ended_mono_ns;
    launch.supervisor_json = text_of(folder / supervisor::kReportFile);
  }
  add_rows(record, run, report);
  add_artifacts(record, run, folder);
  for (const std::string& mark : marks(launch, run, report, processors(record.environment.json))) {
    launch.marks.push_back(mark);
  }
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
