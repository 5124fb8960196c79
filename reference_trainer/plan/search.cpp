#include "reference_trainer/plan/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "adapters/contract/failure.h"
#include "reference_trainer/plan/describe.h"
#include "reference_trainer/plan/traffic.h"

namespace lockstep::plan {
namespace {

/// In the order of the mesh: what talks most varies fastest, so that its ranks are neighbours.
constexpr Axis kAxes[] = {Axis::pp, Axis::dp, Axis::ep, Axis::cp, Axis::h, Axis::w, Axis::tp};

/// Axes that every workload has.
bool always_acts(Axis axis) { return axis == Axis::dp || axis == Axis::pp; }

std::vector<Axis> acting_axes(const graph::Graph& forward, const Work& work, std::vector<std::string>& idle) {
  std::vector<Axis> axes;
  for (Axis axis : kAxes) {
    try {
      if (!always_acts(axis)) make_plan(forward, {{{axis, 2}}, {}, {}, {}}, {work.real_bytes, true, 0});
      axes.push_back(axis);
    } catch (const Failure& failure) {
      idle.push_back(failure.what());
    }
  }
  return axes;
}

/// All products of axis sizes that make so many ranks.
void add_meshes(const std::vector<Axis>& axes, size_t from, int ranks, std::vector<text::MeshAxis>& mesh,
                std::vector<std::vector<text::MeshAxis>>& meshes) {
  if (from == axes.size()) {
    if (ranks == 1) meshes.push_back(mesh);
    return;
  }
  for (int size = 1; size <= ranks; ++size) {
    if (ranks % size != 0) continue;
    if (size > 1) mesh.push_back({axes[from], size});
    add_meshes(axes, from + 1, ranks / size, mesh, meshes);
    if (size > 1) mesh.pop_back();
  }
}

/// As many microbatches as wanted, or as there are samples for.
int64_t microbatches(int64_t wanted, const text::Strategy& mesh, const Work& work) {
  return std::clamp<int64_t>(work.batch / Mesh(mesh.axes).data_count(), 1, wanted);
}

bool has_sequence(const graph::Graph& forward) {
  return std::ranges::any_of(forward.tensors, [](const graph::Tensor& tensor) {
    return std::ranges::any_of(tensor.shape, [](const graph::Extent& extent) { return extent.dim == graph::Dim::seq; });
  });
}

/// Texts of the passes that are tried with a mesh; the first is the mesh alone, or with the schedule it needs.
std::vector<std::string> passes_of(const graph::Graph& forward, const std::vector<text::MeshAxis>& axes,
                                   const Work& work) {
  const text::Strategy mesh{axes, {}, {}, {}};
  const int stages = mesh.size(Axis::pp);
  std::vector<std::string> orders = {""};
  if (stages > 1) {
    orders = {fmt::format("/1f1b:m={}", microbatches(int64_t{4} * stages, mesh, work))};
  } else if (microbatches(4, mesh, work) > 1) {
    orders.push_back(fmt::format("/accum:m={}", microbatches(4, mesh, work)));
  }
  std::vector<std::string> shards = {""}, sequences = {""};
  if (mesh.size(Axis::dp) > 1) shards = {"", "/zero1", "/zero2", "/zero3"};
  if (mesh.size(Axis::tp) > 1 && has_sequence(forward)) sequences.emplace_back("/sp");
  std::vector<std::string> all;
  for (const std::string& sequence : sequences) {
    for (const std::string& order : orders) {
      for (const std::string& shard : shards) all.push_back(sequence + order + shard);
    }
  }
  return all;
}

std::string spelled(const std::vector<text::MeshAxis>& axes) {
  std::string text;
  for (const text::MeshAxis& entry : axes)
    text += fmt::format("{}{}{}", text.empty() ? "" : ".", text::name(entry.axis), entry.size);
  return text.empty() ? "serial" : text;
}

/// Every rank should have a sample.
void refuse_small_batch(const text::Strategy& strategy, const Work& work) {
  const int ranks = Mesh(strategy.axes).data_count();
  if (ranks <= work.batch) return;
  const bool experts = strategy.size(Axis::ep) > 1;
  throw Failure("unsupported",
                fmt::format("{} data-parallel ranks{} need a batch of as many samples, it has {}; {} is the most, or "
                            "batch={}",
                            ranks, experts ? " (dp x ep)" : "", work.batch,
                            experts ? fmt::format("{} of them", work.batch) : fmt::format("dp{}", work.batch), ranks));
}

void look_at(const graph::Graph& forward, const Work& work, int64_t fit_bytes, Candidate& candidate) {
  try {
    refuse_small_batch(candidate.strategy, work);
    for (int rank : first_ranks(Mesh(candidate.strategy.axes))) {
      const Plan plan = make_plan(forward, candidate.strategy, {work.real_bytes, true, rank});
      candidate.peak_bytes = std::max(candidate.peak_bytes, peak_memory(plan, work).total());
      candidate.sent_bytes = std::max(candidate.sent_bytes, sent_in_all(communications(plan, work), false));
      candidate.bubble = idle_share(plan, false);
    }
  } catch (const Failure& failure) {
    candidate.kind = failure.kind();
    candidate.reason = failure.what();
    const std::string own = text::print(candidate.strategy) + ": ";
    if (candidate.reason.starts_with(own)) candidate.reason.erase(0, own.size());
    return;
  }
  if (fit_bytes == 0 || candidate.peak_bytes <= fit_bytes) return;
  candidate.kind = "too_large";
  candidate.reason = fmt::format("needs {:.1f} times as much as there is",
                                 static_cast<double>(candidate.peak_bytes) / static_cast<double>(fit_bytes));
}

}  // namespace

Search search(const graph::Graph& forward, int ranks, const Work& work, int64_t fit_bytes) {
  Search out;
  std::vector<text::MeshAxis> mesh;
  std::vector<std::vector<text::MeshAxis>> meshes;
  add_meshes(acting_axes(forward, work, out.idle_axes), 0, ranks, mesh, meshes);
  for (const auto& axes : meshes) {
    bool alone_is_refused = false;
    const std::vector<std::string> all = passes_of(forward, axes, work);
    for (const std::string& passes : all) {
      if (alone_is_refused) break;
      if (static_cast<int>(out.candidates.size()) == kMostCandidates) {
        ++out.not_tried;
        continue;
      }
      Candidate candidate;
      candidate.strategy = text::parse_strategy(spelled(axes) + passes);
      look_at(forward, work, fit_bytes, candidate);
      alone_is_refused = passes == all.front() && !candidate.legal();
      out.candidates.push_back(std::move(candidate));
    }
  }
  std::ranges::stable_sort(out.candidates, [](const Candidate& a, const Candidate& b) {
    return std::tuple(!a.legal(), !a.kind.empty(), a.peak_bytes, a.sent_bytes, a.bubble) <
           std::tuple(!b.legal(), !b.kind.empty(), b.peak_bytes, b.sent_bytes, b.bubble);
  });
  return out;
}

}  // namespace lockstep::plan
