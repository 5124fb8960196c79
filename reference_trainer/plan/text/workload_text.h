#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference_trainer/plan/text/term.h"

namespace lockstep::text {

/// id[:preset{,key=value}], e.g. gpt-austen:desk,lr=0.001,batch=64. The preset is always printed; without one it is
/// tiny. Keys stand in the order of a recipe, then the workload's own variables as written, then samples, test_samples,
/// steps, epochs, data, scaling. Which keys there are, and which say nothing new, workloads::resolve knows.
struct WorkloadText {
  std::string id;
  std::string preset = "tiny";
  std::vector<Argument> overrides;
  bool operator==(const WorkloadText&) const = default;
};

WorkloadText parse_workload(std::string_view text);
/// The overrides as workloads::resolve takes them: "lr=0.001".
std::vector<std::string> arguments_of(const WorkloadText& workload);
std::string print(const WorkloadText& workload);

}  // namespace lockstep::text
