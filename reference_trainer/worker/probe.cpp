#include "reference_trainer/worker/probe.h"

#include <nlohmann/json.hpp>

#include "adapters/contract/job.h"
#include "reference_trainer/kernels/executable.h"
#include "reference_trainer/worker/fabrics.h"
#include "reference_trainer/worker/versions.h"

namespace lockstep::worker {

std::string probe() {
  nlohmann::ordered_json fabric_names = nlohmann::ordered_json::array(), sets = fabric_names;
  for (const FabricRow& row : fabrics()) {
    if (!row.name.empty()) fabric_names.push_back(row.name);
  }
  for (const kernels::KernelSet& set : kernels::kernel_sets()) sets.push_back(set.name);
  const nlohmann::ordered_json document = {{"contract", contract::kContract},
                                           {"worker", "lockstep-worker"},
                                           {"versions", versions()},
                                           {"capabilities",
                                            {{"strategies", {{"serial", "serial"}, {"dp{n}", "dp"}}},
                                             {"fabrics", fabric_names},
                                             {"kernels", sets},
                                             {"precisions", {"fp32", "fp64"}},
                                             {"devices", {"cpu"}}}}};
  return document.dump();
}

}  // namespace lockstep::worker
