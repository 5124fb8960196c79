#include <fstream>
#include <vector>

#include "adapters/contract/failure.h"
#include "harness/cli/commands.h"
#include "profiler/sinks/chrome_trace.h"
#include "profiler/sinks/trace_file.h"
#include "results/snapshot/selector.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

std::vector<activity::Trace> traces_of(store::Store& store, const Context& context, const store::LaunchRow& launch) {
  const fs::path folder = fs::absolute(context.store).parent_path() / launch.run_folder;
  std::vector<activity::Trace> traces;
  for (const store::ArtifactRow& artifact : store.artifacts(launch.id)) {
    if (artifact.format == profiler::kTraceFormat) traces.push_back(profiler::read_trace(folder / artifact.path));
  }
  return traces;
}

}  // namespace

int export_trace(const Arguments& arguments, const Context& context) {
  store::Store store = context.open_store();
  const std::string selector = arguments.text("LAUNCH");
  const store::LaunchRow launch = snapshot::resolve(store, snapshot::parse_launch_selector(selector));
  const std::vector<activity::Trace> traces = traces_of(store, context, launch);
  if (traces.empty()) {
    refuse({"", "LAUNCH", selector, "it has no timeline",
            "record one: lockstep run ... --profile, then list @last/mode:profile"});
  }
  const std::string document = profiler::chrome_trace(traces);
  const std::string output = arguments.text("output");
  if (output.empty()) {
    context.print(document);
    return 0;
  }
  std::ofstream file(output, std::ios::binary);
  file << document;
  file.flush();
  if (!file) throw Failure("setup", output + ": cannot be written; is the disk full?");
  context.progress(output + ": open it in ui.perfetto.dev or chrome://tracing\n");
  return 0;
}

}  // namespace lockstep::cli
