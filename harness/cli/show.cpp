#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "adapters/contract/failure.h"
#include "adapters/contract/plural.h"
#include "harness/cli/commands.h"
#include "harness/cli/launch_proof.h"
#include "harness/collect/outcome.h"
#include "harness/exec/experiment.h"
#include "harness/launch/shell.h"
#include "results/json/writer.h"
#include "results/report/cell_words.h"
#include "results/report/figures.h"
#include "results/report/render.h"
#include "results/snapshot/efficiency.h"
#include "results/snapshot/selector.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

constexpr int kAllLines = 1'000'000;

fs::path folder_of(const Context& context, const store::LaunchRow& launch) {
  return fs::absolute(context.store).parent_path() / launch.run_folder;
}

// Words for the command in its own folder that name the store and run folders of here, where they are not those it
// would take there.
std::vector<std::string> places_of(const Context& context, const fs::path& folder) {
  std::vector<std::string> words;
  const auto add = [&](const char* option, const fs::path& ours, const char* usual) {
    const fs::path whole = fs::absolute(ours).lexically_normal();
    if (whole != folder / usual) words.insert(words.end(), {option, whole.string()});
  };
  add("--store", context.store, "lockstep.db"), add("--runs", context.runs, "lockstep-runs");
  return words;
}

// The command that makes the same cell anew.
std::string command_of(const Context& context, const store::CampaignRow& campaign, const store::CellRow& cell) {
  if (snapshot::is_command(cell)) {
    const std::string folder = exec::experiment_of(campaign, cell).directory;
    return exec::command_line(campaign, cell, places_of(context, folder));
  }
  std::string line = "lockstep run";
  for (const auto& [option, value] : {std::pair(" -w ", cell.workload), std::pair(" -S ", cell.system),
                                      std::pair(" -s ", cell.strategy), std::pair(" -f ", cell.fabric)}) {
    if (!value.empty()) line += option + launch::shell_word(value);
  }
  return line + " -n 1";
}

int show_logs(const Arguments& arguments, const Context& context, const store::LaunchRow& launch) {
  const std::string wanted = arguments.text("log");
  const int lines = static_cast<int>(arguments.integer("lines", kAllLines, 1, kAllLines));
  const fs::path folder = folder_of(context, launch);
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    const bool is_log = name.ends_with(".log") && (name.starts_with("stdout.") || name.starts_with("stderr."));
    if (is_log && (wanted == "all" || name.substr(7) == wanted + ".log")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    refuse({folder.string(), "--log", wanted, "no log of that name", "--log all shows every one"});
  }
  for (const fs::path& file : files) {
    const std::string text = collect::last_lines(file, lines);
    context.print(fmt::format("== {}\n{}{}", file.filename().string(), text, text.empty() ? "" : "\n"));
  }
  return 0;
}

void write_launch(json::Writer& out, const store::LaunchRow& l, const snapshot::LaunchFigures& f,
                  const std::string& again) {
  out.member("id", l.id).member("number", l.number).member("cell", l.cell).member("mode", store::to_text(l.mode));
  out.member("block", l.block).member("repetition", l.repetition).member("seed", l.seed).member("steps", l.steps);
  out.member("warmup", l.warmup).member("threads", l.threads).member("status", store::to_text(l.status));
  if (!l.error_kind.empty()) {
    out.key("error").open_object().member("kind", l.error_kind).member("message", l.error_message).close();
  }
  out.known("ended_by", l.ended_by).member("started", store::utc_text(l.started_utc_ns));
  if (l.ended_utc_ns > 0) out.member("ended", store::utc_text(l.ended_utc_ns));
  out.member("run_folder", l.run_folder).member("bad_events", l.bad_events).member("marks", l.marks);
  out.known("load_before", l.load_before).known("load_after", l.load_after);
  out.key("supervisor").raw(l.supervisor_json).key("git").raw(l.git_json);
  if (l.status == store::LaunchStatus::finished) {
    out.known(f.counts_steps ? "throughput_steps_per_s" : "throughput_samples_per_s", f.samples_per_s)
        .known("step_s", f.step_s)
        .known("region_s", f.region_s);
    out.known("peak_memory_bytes", f.peak_memory_bytes)
        .known("first_loss", f.first_loss)
        .known("last_loss", f.last_loss);
    out.known("bytes_sent_per_rank_and_step", f.bytes_sent);
  }
  out.member("again", again);
}

std::string memory_text(const store::CellRow& cell, const snapshot::LaunchFigures& f) {
  const char* what = report::memory_words(snapshot::is_command(cell));
  if (std::isnan(f.peak_memory_bytes)) return fmt::format("{} not measured", what);
  return fmt::format("{} {} MiB", what, report::number(f.peak_memory_bytes / 1048576));
}

std::string text_of(const store::LaunchRow& l, const store::CellRow& cell, const snapshot::LaunchFigures& f,
                    const store::ProofRow& proof, int64_t campaign, const std::string& again) {
  fmt::memory_buffer out;
  auto at = std::back_inserter(out);
  fmt::format_to(at, "@{}.{}  {}\n", campaign, l.number, l.cell);
  fmt::format_to(at, "status    {}{}\n", store::to_text(l.status),
                 l.error_kind.empty() ? "" : fmt::format("  {}: {}", l.error_kind, l.error_message));
  fmt::format_to(at, "mode      {}, block {}, seed {}, {} ({} of warm-up){}\n", store::to_text(l.mode), l.block + 1,
                 l.seed, plural(l.steps, "step"), l.warmup,
                 l.threads > 0 ? ", " + plural(l.threads, "thread") + " a rank" : "");
  fmt::format_to(at, "started   {}, ended by {}\n", store::utc_text(l.started_utc_ns),
                 l.ended_by.empty() ? "-" : l.ended_by);
  if (l.status == store::LaunchStatus::finished) {
    fmt::format_to(at, "speed     {}, step {} ms, timed region {} s\n", report::rate_text(f),
                   report::number(f.step_s * 1e3), report::number(f.region_s));
    fmt::format_to(at, "loss      {} -> {} nat; {}\n", report::number(f.first_loss), report::number(f.last_loss),
                   memory_text(cell, f));
  }
  if (proof.state != store::ProofState::none)
    fmt::format_to(at, "work      equal work {}{}\n", report::equal_work(proof.state),
                   proof.state == store::ProofState::failed ? ": " + proof.reason : "");
  if (!f.problem.empty() && l.status == store::LaunchStatus::finished) fmt::format_to(at, "problem   {}\n", f.problem);
  if (l.bad_events > 0) fmt::format_to(at, "bad lines {}, the first: {}\n", l.bad_events, l.bad_events_text);
  if (!l.marks.empty()) fmt::format_to(at, "marks     {}\n", fmt::join(l.marks, ", "));
  fmt::format_to(at, "folder    {}\n", l.run_folder.empty() ? "-" : l.run_folder);
  fmt::format_to(at, "log       lockstep show @{}.{} --log all -20\n", campaign, l.number);
  fmt::format_to(at, "again     {}\n", again);
  return fmt::to_string(out);
}

int show_launch(const Arguments& arguments, const Context& context) {
  store::Store store = context.open_store();
  const snapshot::LaunchSelector selector = snapshot::parse_launch_selector(arguments.text("SELECTOR"));
  const store::LaunchRow launch = snapshot::resolve(store, selector);
  if (arguments.has("log")) return show_logs(arguments, context, launch);
  const store::CampaignRow campaign = snapshot::resolve(store, selector.campaign);
  const store::CellRow cell = *store.cell(launch.cell);
  const auto figures = snapshot::figures(launch, store.series(launch.id), store.processes(launch.id));
  const auto environment = store.environment(launch.environment);
  const store::ProofRow proof = launch_proof(store, launch);
  const std::string again = command_of(context, campaign, cell);
  if (!context.json) {
    context.print(text_of(launch, cell, figures, proof, campaign.number, again));
    if (environment) context.print("environment " + environment->json + "\n");
    return 0;
  }
  json::Writer out;
  out.open_object().member("format", "lockstep.launch").member("version", 1).member("campaign", campaign.number);
  write_launch(out, launch, figures, again);
  out.member("proof", store::to_text(proof.state));
  if (environment) out.key("environment").raw(environment->json);
  context.print(out.close().text());
  return 0;
}

}  // namespace

int show(const Arguments& arguments, const Context& context) {
  const std::string selector = arguments.text("SELECTOR", "@last");
  // A launch has a number after the last dot: @14.7
  const size_t dot = selector.rfind('.');
  const bool is_launch = dot != std::string::npos && selector.find('/') == std::string::npos;
  if (is_launch) return show_launch(arguments, context);
  if (arguments.has("log"))
    refuse({"", "--log", selector, "a campaign has no log", "name a launch: " + selector + ".1"});
  return report(arguments, context);
}

}  // namespace lockstep::cli
