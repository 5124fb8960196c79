#include <fstream>
#include <vector>

#include "adapters/contract/failure.h"
#include "harness/cli/commands.h"
#include "harness/collect/record_file.h"
#include "profiler/sinks/chrome_trace.h"
#include "results/report/breakdowns.h"
#include "results/snapshot/selector.h"

namespace lockstep::cli {
namespace {

std::string trace_text(store::Store& store, const Context& context, const store::LaunchRow& launch) {
  const std::vector<activity::Trace> traces = report::traces_of(store, context.store, launch);
  if (traces.empty()) {
    refuse({"", "LAUNCH", launch.cell, "it has no timeline",
            "record one: lockstep run ... --profile, then list @last/mode:profile; --launch exports its samples"});
  }
  return profiler::chrome_trace(traces);
}

}  // namespace

int export_launch(const Arguments& arguments, const Context& context) {
  store::Store store = context.open_store();
  const store::LaunchRow launch = snapshot::resolve(store, snapshot::parse_launch_selector(arguments.text("LAUNCH")));
  const bool samples = arguments.has("launch");
  const std::string document =
      samples ? collect::record_text(collect::read_record(store, launch)) : trace_text(store, context, launch);
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
                                     : ": open it in ui.perfetto.dev or chrome://tracing\n"));
  return 0;
}

}  // namespace lockstep::cli
