#include "reference_trainer/worker/versions.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reference_trainer/kernels/executable.h"
#include "reference_trainer/plan/terms/table.h"
#include "reference_trainer/worker/fabrics.h"

#ifdef LOCKSTEP_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

namespace lockstep::worker {

std::map<std::string, std::string> versions() {
  std::map<std::string, std::string> result = {
      {"lockstep", LOCKSTEP_VERSION}, {"git", LOCKSTEP_GIT}, {"compiler", "GCC " __VERSION__}};
#ifdef LOCKSTEP_ONEDNN
  const dnnl_version_t* library = dnnl_version();
  result["onednn"] = fmt::format("{}.{}.{}", library->major, library->minor, library->patch);
#endif
  return result;
}

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
