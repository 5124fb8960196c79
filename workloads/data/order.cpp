#include "workloads/data/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "adapters/contract/invariant.h"
#include "workloads/data/philox.h"
#include "workloads/data/safetensors.h"
#include "workloads/data/shared_file.h"

namespace lockstep::workloads {

namespace {

/// Fisher-Yates (1938, in Durstenfeld's form of 1964) from the last place down.
void shuffle(std::vector<int64_t>& ids, const Draws& draws) {
  for (size_t i = ids.size(); i > 1; --i) std::swap(ids[i - 1], ids[draws.bounded(i, i)]);
}

}  // namespace

Order make_order(int64_t samples, int64_t batch, int64_t steps, uint64_t seed) {
  LOCKSTEP_INVARIANT(samples > 0 && batch > 0 && steps >= 0, "samples {}, batch {}, steps {}", samples, batch, steps);
  Order order;
  order.offsets.push_back(0);
  std::vector<int64_t> ids(static_cast<size_t>(samples));
  int64_t used = samples;
  for (uint64_t epoch = 0; static_cast<int64_t>(order.offsets.size()) <= steps;) {
    if (used == samples) {
      std::iota(ids.begin(), ids.end(), int64_t{0});
      shuffle(ids, Draws(seed, "order", epoch++));
      used = 0;
    }
    const int64_t count = std::min(batch, samples - used);
    order.indices.insert(order.indices.end(), ids.begin() + used, ids.begin() + used + count);
    order.offsets.push_back(static_cast<int64_t>(order.indices.size()));
    used += count;
  }
  return order;
}

std::filesystem::path write_order(const Workload& workload, const std::filesystem::path& shared, int64_t data_ranks) {
  const Recipe& recipe = workload.recipe;
  const int64_t batch = recipe.batch * (workload.weak_scaling ? data_ranks : 1);
  const auto path = shared_path(
      shared, "order", fmt::format("order 1 {} {} {} {}", workload.train_samples, batch, workload.steps, recipe.seed));
  if (is_written(path)) return path;
  const Order order = make_order(workload.train_samples, batch, workload.steps, recipe.seed);
  const auto size = [](const auto& values) { return static_cast<int64_t>(values.size()); };
  const std::vector<TensorView> tensors = {view<int64_t>("indices", {size(order.indices)}, order.indices),
                                           view<int64_t>("offsets", {size(order.offsets)}, order.offsets)};
  write_safetensors(path, tensors, {{"workload", workload.text}});
  return path;
}

}  // namespace lockstep::workloads
