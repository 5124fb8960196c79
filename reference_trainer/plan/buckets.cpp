#include "reference_trainer/plan/buckets.h"

#include <algorithm>
#include <tuple>

#include "reference_trainer/graph/gradients.h"

namespace lockstep::plan {
namespace {

constexpr int64_t kAlignElements = 16;  // 64 bytes of fp32: a cache line and a vector register

int32_t producer_of(const graph::Graph& graph, graph::TensorId tensor) {
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const auto& out = graph.ops[i].out;
    if (std::find(out.begin(), out.end(), tensor) != out.end()) return static_cast<int32_t>(i);
  }
  return -1;
}

/// The mesh axes that split a tensor.
std::vector<Axis> splits_of(const Layout& layout) {
  std::vector<Axis> axes;
  for (const auto& split : layout.split) axes.insert(axes.end(), split.begin(), split.end());
  return axes;
}

std::vector<Axis> sorted(std::vector<Axis> axes) {
  std::ranges::sort(axes);
  return axes;
}

}  // namespace

std::vector<Slot> lay_out(const std::vector<Stage>& stages) {
  std::vector<Slot> slots;
  for (size_t k = 0; k < stages.size(); ++k) {
    const LocalGraph& local = stages[k].local;
    const std::vector<graph::TensorId> gradients = graph::parameter_gradients(local.graph);
    for (size_t i = 0; i < gradients.size(); ++i) {
      const graph::TensorId parameter = local.graph.parameters[i];
      slots.push_back({k, parameter, gradients[i], 0, elements(local.graph.tensor(parameter), 1),
                       producer_of(local.graph, gradients[i]),
                       sorted(local.layouts[static_cast<size_t>(gradients[i])].partial),
                       splits_of(local.layouts[static_cast<size_t>(parameter)])});
    }
  }
  // Those that are not summed come first: the control slot at the end must be in a bucket where there is one.
  std::ranges::stable_sort(slots, [](const Slot& a, const Slot& b) {
    return std::tuple(a.sum.size(), a.sum, a.stage, a.ready_after) <
           std::tuple(b.sum.size(), b.sum, b.stage, b.ready_after);
  });
  int64_t offset = 0;
  for (Slot& slot : slots) {
    slot.offset = offset;
    offset += (slot.count + kAlignElements - 1) / kAlignElements * kAlignElements;
  }
  return slots;
}

int64_t flat_count(std::span<const Slot> slots) {
  return slots.empty() ? 1 : slots.back().offset + slots.back().count + 1;
}

namespace {

/// Whether slot i is one of a parameter that several stages hold.
std::vector<bool> shared_slots(const Plan& plan) {
  std::vector<bool> shared(plan.slots.size(), false);
  for (const Shared& entry : plan.shared) {
    for (const Shared::Owner& owner : entry.owners) {
      if (owner.slot >= 0) shared[static_cast<size_t>(owner.slot)] = true;
    }
  }
  return shared;
}

/// Cuts where `ends` says so, after slot i with the bucket's elements so far, and where the sums change. Those that are
/// `alone` have a bucket each, of their own length.
template <class Ends>
std::vector<Bucket> cut(std::span<const Slot> slots, const std::vector<bool>& alone, const Ends& ends) {
  std::vector<Bucket> buckets;
  int64_t begin = 0;
  for (size_t i = 0; i < slots.size(); ++i) {
    const bool last = i + 1 == slots.size();
    const bool last_of_sum = last || slots[i + 1].sum != slots[i].sum || slots[i + 1].stage != slots[i].stage;
    const int64_t end = last ? flat_count(slots) : slots[i + 1].offset;
    if (!last_of_sum && !alone[i] && !alone[i + 1] && !ends(i, end - begin)) continue;
    const int64_t count = alone[i] ? slots[i].count : end - begin;
    if (!slots[i].sum.empty()) buckets.push_back({begin, count, slots[i].ready_after, slots[i].sum, slots[i].stage});
    begin = end;
  }
  std::ranges::stable_sort(buckets, [](const Bucket& a, const Bucket& b) {
    return std::tuple(a.stage, a.ready_after) < std::tuple(b.stage, b.ready_after);
  });
  return buckets;
}

auto ends_by_size(std::span<const Slot> slots, int64_t bucket_bytes, int64_t real_bytes) {
  return [=](size_t i, int64_t count) {
    return slots[i + 1].ready_after != slots[i].ready_after && count * real_bytes >= bucket_bytes;
  };
}

}  // namespace

std::vector<Bucket> cut_buckets(std::span<const Slot> slots, int64_t bucket_bytes, int64_t real_bytes) {
  return cut(slots, std::vector<bool>(slots.size(), false), ends_by_size(slots, bucket_bytes, real_bytes));
}

std::vector<Bucket> cut_for_shards(const Plan& plan, int64_t bucket_bytes, int64_t real_bytes) {
  return cut(plan.slots, shared_slots(plan), ends_by_size(plan.slots, bucket_bytes, real_bytes));
}

std::vector<Bucket> cut_by_layer(const Plan& plan) {
  const auto layer = [&](size_t i) {
    const std::string& name = plan.local(plan.slots[i]).graph.tensor(plan.slots[i].parameter).name;
    return std::string_view(name).substr(0, name.find('.'));
  };
  return cut(plan.slots, shared_slots(plan), [&](size_t i, int64_t) { return layer(i + 1) != layer(i); });
}

}  // namespace lockstep::plan
