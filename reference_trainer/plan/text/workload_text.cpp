#include "reference_trainer/plan/text/workload_text.h"

#include <array>

#include "reference_trainer/plan/text/forms.h"

namespace lockstep::text {

// The order of workloads::Settings: recipe, the workload's own variables, then data and length.
constexpr std::array<std::string_view, 15> kRecipe = {
    "optimizer", "lr",           "momentum",          "beta1", "beta2",     "epsilon", "weight_decay", "batch",
    "schedule",  "warmup_steps", "final_lr_fraction", "clip",  "precision", "seed",    "dropout"};
constexpr std::array<std::string_view, 6> kLength = {"samples", "test_samples", "steps", "epochs", "data", "scaling"};

WorkloadText scan_workload(Scanner& in) {
  WorkloadText workload{scan_id(in, "a workload such as mlp-fashion"), "tiny", {}};
  if (!in.take(':')) return workload;
  const size_t begin = in.position();
  workload.preset = scan_id(in, "a preset such as tiny");
  if (in.peek() == '=') in.fail(begin, "expected a preset such as tiny before the first key", 0, "tiny,");
  if (in.take(',')) workload.overrides = scan_arguments(in, Bare::no, Slash::yes);
  for (Argument& override : workload.overrides) override.value = canonical_number(override.value);
  order_keys(workload.overrides, kRecipe, kLength);
  return workload;
}

WorkloadText parse_workload(std::string_view text) {
  WorkloadText out;
  parse_or_refuse("workload", text, "mlp-fashion:tiny", [&](Scanner& in) {
    out = scan_workload(in);
    in.expect_end("\":\", \",\" or ");
    return print(out);
  });
  return out;
}

std::vector<std::string> arguments_of(const WorkloadText& workload) {
  std::vector<std::string> out;
  for (const Argument& argument : workload.overrides) out.push_back(argument.key + "=" + argument.value);
  return out;
}

std::string print(const WorkloadText& workload) {
  std::string out = workload.id + ":" + workload.preset;
  if (!workload.overrides.empty()) out += "," + print(workload.overrides);
  return out;
}

}  // namespace lockstep::text
