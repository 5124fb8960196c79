#include <fstream>
#include <vector>

#include "adapters/contract/failure.h"
#include "harness/cli/commands.h"
#include "harness/report/breakdowns.h"
#include "profiler/sinks/chrome_trace.h"
#include "results/snapshot/selector.h"

namespace lockstep::cli {

int export_trace(const Arguments& arguments, const Context& context) {
  store::Store store = context.open_store();
  const std::string selector = arguments.text("LAUNCH");
  const store::LaunchRow launch = snapshot::resolve(store, snapshot::parse_launch_selector(selector));
  const std::vector<activity::Trace> traces = report::traces_of(store, context.store, launch);
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
