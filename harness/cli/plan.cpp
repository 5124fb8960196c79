#include <fmt/format.h>

#include "adapters/contract/failure.h"
#include "harness/cli/commands.h"
#include "harness/cli/plan_text.h"
#include "harness/places/places.h"
#include "harness/suite/costs_file.h"
#include "harness/suite/layout_file.h"
#include "reference_trainer/graph/build.h"
#include "reference_trainer/plan/text/quantity.h"
#include "reference_trainer/plan/text/workload_text.h"
#include "workloads/plan/plan_of.h"

namespace lockstep::cli {
namespace {

workloads::Workload workload_of(const std::string& text) {
  const text::WorkloadText parsed = text::parse_workload(text);
  return workloads::resolve(places::find().workloads, parsed.id, parsed.preset, text::arguments_of(parsed));
}

int search_command(const Arguments& arguments, const Context& context) {
  if (arguments.has("STRATEGY"))
    refuse({.place = "--ranks",
            .value = arguments.text("ranks"),
            .rule = "lists strategies, so it takes none",
            .remedy = "leave out " + arguments.text("STRATEGY")});
  const auto ranks = static_cast<int>(arguments.integer("ranks", 1, 1, 4096));
  const int64_t fit = arguments.has("fit") ? text::parse_bytes(arguments.text("fit")) : 0;
  const workloads::Workload workload = workload_of(arguments.text("WORKLOAD"));
  const bool shows = context.terminal.err_is_terminal;
  const auto progress = [&](size_t looked_at) {
    if (shows) context.progress(fmt::format("\rlooked at {} strategies", looked_at));
  };
  const workloads::PlanInput input = workloads::plan_input(workload);
  const plan::Search search = plan::search(graph::build(input.graph), ranks, input.work, fit, progress);
  if (shows) context.progress(fmt::format("\r{:32}\r", ""));
  context.print(context.json ? search_json(workload, search, ranks, fit)
                             : search_page(workload, search, ranks, fit, arguments.has("verbose")));
  return 0;
}

}  // namespace

int plan_command(const Arguments& arguments, const Context& context) {
  if (arguments.has("ranks")) return search_command(arguments, context);
  if (arguments.has("fit"))
    refuse({.place = "--fit",
            .value = arguments.text("fit"),
            .rule = "needs the number of ranks",
            .remedy = "add --ranks 8"});
  const workloads::Workload workload = workload_of(arguments.text("WORKLOAD"));
  const text::Strategy strategy = suite::with_chosen_cut(
      suite::with_layout_file(text::parse_strategy(arguments.text("STRATEGY", "serial"))), workload);
  const plan::Description description = workloads::describe(workloads::plan_input(workload), text::print(strategy));
  context.print(context.json ? plan_json(workload, description)
                             : plan_page(workload, description, arguments.has("verbose")));
  return 0;
}

}  // namespace lockstep::cli
