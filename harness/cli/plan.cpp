#include <fmt/format.h>

#include "adapters/contract/failure.h"
#include "harness/cli/commands.h"
#include "harness/json/writer.h"
#include "harness/places/places.h"
#include "reference_trainer/graph/build.h"
#include "reference_trainer/plan/describe.h"
#include "reference_trainer/plan/text/workload_text.h"
#include "workloads/data/workload.h"

namespace lockstep::cli {
namespace {

struct Planned {
  workloads::Workload workload;
  plan::Description description;
  int64_t real_bytes = 4;
};

/// How many arrays as large as the parameters an optimizer keeps.
int arrays_of(workloads::Optimizer optimizer) {
  switch (optimizer) {
    case workloads::Optimizer::sgd:
      return 0;
    case workloads::Optimizer::adamw:
      return 2;
    default:
      return 1;
  }
}

Planned plan_of(const std::string& workload_text, const std::string& strategy) {
  const text::WorkloadText parsed = text::parse_workload(workload_text);
  std::vector<std::string> arguments;
  for (const text::Argument& argument : parsed.overrides) arguments.push_back(argument.key + "=" + argument.value);
  Planned planned;
  planned.workload = workloads::resolve(places::find().workloads, parsed.id, parsed.preset, arguments);
  planned.real_bytes = planned.workload.recipe.precision == workloads::Precision::fp64 ? 8 : 4;
  const plan::Plan plan = plan::make_plan(graph::build(planned.workload.json()), text::parse_strategy(strategy),
                                          {planned.real_bytes, true});
  planned.description = plan::describe(plan, planned.workload.recipe.batch, planned.real_bytes,
                                       arrays_of(planned.workload.recipe.optimizer));
  return planned;
}

std::string mebibytes(int64_t bytes) { return fmt::format("{:.2f}", static_cast<double>(bytes) / (1 << 20)); }
std::string megabytes(int64_t bytes) { return fmt::format("{:.3f} MB", static_cast<double>(bytes) / 1e6); }

std::string table(const Planned& planned, bool verbose) {
  const plan::Description& d = planned.description;
  std::string out = fmt::format("{}: {} parameters, {}, {} steps\n", planned.workload.text, d.parameters,
                                planned.real_bytes == 8 ? "fp64" : "fp32", planned.workload.steps);
  const std::string share = d.most == d.fewest ? fmt::format("{}", d.most) : fmt::format("{} or {}", d.fewest, d.most);
  out += fmt::format("{}: {} rank{}; global batch {} = {} sample{} a rank, {} microbatch{}\n", d.strategy, d.ranks,
                     d.ranks == 1 ? "" : "s", d.batch, share, share == "1" ? "" : "s", d.microbatches,
                     d.microbatches == 1 ? "" : "es");
  out += fmt::format("model FLOPs a step, GEMMs x 3 (attention in full): {:.4g} G\n",
                     static_cast<double>(d.model_flops) / 1e9);
  for (const std::string& group : d.groups) out += group + "\n";
  if (d.exchanges.empty()) out += "nothing is sent\n";
  for (const plan::ExchangeLine& line : d.exchanges) {
    out += fmt::format("sent per rank and step: {}, {} call{} of {} in all, algorithm {}: {}  ({})\n", line.operation,
                       line.calls, line.calls == 1 ? "" : "s", megabytes(line.bytes), line.algorithm,
                       megabytes(line.sent), line.why);
  }
  out += fmt::format("actions of a rank: {}\n", d.actions);
  out += "peak MiB  parameters  gradients  optimizer  activations  planned\n";
  out += fmt::format("a rank    {:>10}  {:>9}  {:>9}  {:>11}  {:>7}\n", mebibytes(d.memory.parameters),
                     mebibytes(d.memory.gradients), mebibytes(d.memory.optimizer), mebibytes(d.memory.activations),
                     mebibytes(d.memory.total()));
  if (verbose) {
    out += "layouts, forward\n";
    for (const std::string& line : d.layouts) out += "  " + line + "\n";
    if (!d.origins.empty()) out += "where each collective comes from\n";
    for (const std::string& line : d.origins) out += "  " + line + "\n";
  }
  return out + "step time: not predicted, this version does not calibrate machines. All checks passed\n";
}

std::string document(const Planned& planned) {
  const plan::Description& d = planned.description;
  json::Writer out;
  out.open_object().member("format", "lockstep.plan").member("version", 1);
  out.member("workload", planned.workload.text).member("strategy", d.strategy).member("ranks", d.ranks);
  out.member("batch", d.batch).member("microbatches", d.microbatches).member("parameters", d.parameters);
  out.member("model_flops", d.model_flops).member("actions", d.actions);
  out.key("mesh").open_array();
  for (const std::string& group : d.groups) out.value(group);
  out.close().key("collectives").open_array();
  for (const plan::ExchangeLine& line : d.exchanges) {
    out.open_object().member("operation", line.operation).member("axis", line.axis).member("calls", line.calls);
    out.member("buffer_bytes", line.bytes)
        .member("sent_bytes", line.sent)
        .member("algorithm", line.algorithm)
        .member("why", line.why)
        .close();
  }
  out.close().key("rank_classes").open_array().open_object();
  out.member("ranks", d.ranks).member("samples_most", d.most).member("samples_fewest", d.fewest).close().close();
  out.key("peak_memory_bytes").open_object();
  out.member("parameters", d.memory.parameters)
      .member("gradients", d.memory.gradients)
      .member("optimizer", d.memory.optimizer);
  out.member("activations", d.memory.activations).member("total", d.memory.total()).close();
  out.member("bubble", 0.0);
  return out.close().text();
}

}  // namespace

int plan_command(const Arguments& arguments, const Context& context) {
  const Planned planned = plan_of(arguments.text("WORKLOAD"), arguments.text("STRATEGY", "serial"));
  context.print(context.json ? document(planned) : table(planned, arguments.has("verbose")));
  return 0;
}

}  // namespace lockstep::cli
