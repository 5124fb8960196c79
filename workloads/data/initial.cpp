#include "workloads/data/initial.h"

#include <algorithm>
#include <string>

#include "adapters/contract/failure.h"
#include "workloads/data/nearest_remedy.h"
#include "workloads/data/philox.h"

namespace lockstep::workloads {

void fill_initial(std::string_view kind, double scale, uint64_t seed, std::string_view parameter,
                  std::span<float> values) {
  const Draws draws(seed, parameter);
  if (kind == "zeros") {
    std::fill(values.begin(), values.end(), 0.0F);
  } else if (kind == "ones") {
    std::fill(values.begin(), values.end(), 1.0F);
  } else if (kind == "normal") {
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(scale * draws.normal(i));
  } else if (kind == "uniform") {
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(scale * (2.0 * draws.uniform01(i) - 1.0));
    }
  } else {
    refuse({std::string(parameter), "init.kind", std::string(kind), "is no kind of initial value",
            nearest_remedy("kind", kind, {"normal", "uniform", "zeros", "ones"})});
  }
}

}  // namespace lockstep::workloads
