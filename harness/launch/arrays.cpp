#include "harness/launch/arrays.h"

#include <fmt/format.h>

#include <vector>

#include "reference_trainer/graph/build.h"
#include "results/store/id.h"
#include "workloads/data/dataset.h"
#include "workloads/data/initial.h"
#include "workloads/data/order.h"
#include "workloads/data/safetensors.h"

namespace lockstep::launch {
namespace fs = std::filesystem;
namespace {

std::vector<int64_t> sizes(const graph::Shape& shape) {
  std::vector<int64_t> out;
  for (const graph::Extent& extent : shape) out.push_back(extent.size);
  return out;
}

// Named by the graph and the seed, which are all that initial values depend on.
fs::path write_initial(const workloads::Workload& workload, const fs::path& shared) {
  std::string inputs;  // shapes of parameters depend on them too
  for (const workloads::InputSpec& input : workload.inputs) {
    inputs += input.name;
    for (const auto& [name, size] : input.dims) inputs += fmt::format(" {} {}", name, size);
  }
  const std::string key = fmt::format("init 1 {} {} {}", workload.recipe.seed, inputs, workload.graph);
  const fs::path path = shared / ("init-" + store::content_hash(key) + ".safetensors");
  if (fs::exists(path)) return path;
  const graph::Graph graph = graph::build(workload.json());
  std::vector<std::vector<float>> values;
  std::vector<workloads::TensorView> views;
  values.reserve(graph.parameters.size());
  for (graph::TensorId id : graph.parameters) {
    const graph::Tensor& tensor = graph.tensor(id);
    auto& filled = values.emplace_back(static_cast<size_t>(graph::elements(tensor, 1)));
    workloads::fill_initial(tensor.init.kind, tensor.init.scale, workload.recipe.seed, tensor.name, filled);
    views.push_back(workloads::view<float>(tensor.name, sizes(tensor.shape), filled));
  }
  workloads::write_safetensors(path, views, {{"workload", workload.text}});
  return path;
}

}  // namespace

Arrays write_arrays(const workloads::Workload& workload, const fs::path& shared, int64_t data_ranks) {
  fs::create_directories(shared);
  return {write_initial(workload, shared), workloads::write_dataset(workload, shared),
          workloads::write_order(workload, shared, data_ranks)};
}

}  // namespace lockstep::launch
