#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "adapters/contract/failure.h"
#include "harness/cli/commands.h"
#include "harness/collect/record_file.h"
#include "harness/suite/costs_file.h"
#include "profiler/sinks/chrome_trace.h"
#include "results/report/breakdowns.h"
#include "results/snapshot/selector.h"
#include "results/snapshot/workload_text.h"

namespace lockstep::cli {

namespace fs = std::filesystem;

namespace {

/// By op, the median over the recorded steps.
std::map<std::string, double> ns_a_sample(const activity::Trace& trace, int64_t batch) {
  std::map<std::string, std::map<int32_t, int64_t>> by_step;
  for (const activity::Activity& activity : trace.activities) {
    if (activity.kind == activity::Kind::compute && activity.step >= 0)
      by_step[trace.names[activity.name]][activity.step] += activity.end_ns - activity.begin_ns;
  }
  std::map<std::string, double> costs;
  for (const auto& [name, steps] : by_step) {
    std::vector<int64_t> took;
    for (const auto& [step, ns] : steps) took.push_back(ns);
    std::ranges::nth_element(took, took.begin() + static_cast<ptrdiff_t>(took.size() / 2));
    costs[name] = static_cast<double>(took[took.size() / 2]) / static_cast<double>(batch);
  }
  return costs;
}

std::string trace_text(store::Store& store, const Context& context, const store::LaunchRow& launch) {
  const std::vector<activity::Trace> traces = report::traces_of(store, context.store, launch);
  if (traces.empty()) {
    refuse({"", "LAUNCH", launch.cell, "it has no timeline",
            "record one: lockstep run ... --profile, then list @last/mode:profile; --launch exports its samples"});
  }
  return profiler::chrome_trace(traces);
}

/// Nanoseconds of a sample, by op, of a launch whose ops are whole: serial.
std::string costs_document(store::Store& store, const Context& context, const store::LaunchRow& launch) {
  const store::CellRow cell = store.cell(launch.cell).value();
  const auto refuse_launch = [&](const std::string& value, const char* rule, const char* remedy) {
    refuse({"", "--costs", value, rule, remedy});
  };
  if (snapshot::id_of(cell.system) != "reference")
    refuse_launch(cell.system, "costs of ops are those of the reference trainer", "take a launch of -S reference");
  if (cell.strategy != "serial") {
    refuse_launch(cell.strategy, "only a serial launch runs every op whole",
                  "record one: lockstep run -w WORKLOAD -s serial --profile, then list @last/mode:profile");
  }
  const std::vector<activity::Trace> traces = report::traces_of(store, context.store, launch);
  const auto measured = std::ranges::find(traces, activity::Origin::measured, &activity::Trace::origin);
  if (measured == traces.end())
    refuse_launch(launch.cell, "it has no timeline", "record one: lockstep run ... --profile");
  const workloads::Workload workload = workloads::workload_from_json(cell.workload_json, launch.cell);
  return suite::costs_text(workload, launch.id, ns_a_sample(*measured, workload.recipe.batch));
}

}  // namespace

int export_launch(const Arguments& arguments, const Context& context) {
  const bool samples = arguments.has("launch"), costs = arguments.has("costs");
  if (samples && costs) refuse({"", "--costs", "--launch", "one of them", "export twice"});
  store::Store store = context.open_store();
  const store::LaunchRow launch = snapshot::resolve(store, snapshot::parse_launch_selector(arguments.text("LAUNCH")));
  const std::string document = samples ? collect::record_text(collect::read_record(store, launch))
                               : costs ? costs_document(store, context, launch)
                                       : trace_text(store, context, launch);
  const std::string output = arguments.text("output");
  if (output.empty()) {
    context.print(document);
    return 0;
  }
  std::ofstream file(output, std::ios::binary);
  file << document;
  file.flush();
  if (!file) throw Failure("setup", output + ": cannot be written; is the disk full?");
  context.progress(output + (samples ? ": lockstep import takes it into another store\n"
                             : costs ? ": pp2/stages:" + fs::path(output).filename().string() + " cuts stages by it\n"
                                     : ": open it in ui.perfetto.dev or chrome://tracing\n"));
  return 0;
}

}  // namespace lockstep::cli
