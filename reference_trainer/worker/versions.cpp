#include "reference_trainer/worker/versions.h"

#include <fmt/format.h>

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

}  // namespace lockstep::worker
