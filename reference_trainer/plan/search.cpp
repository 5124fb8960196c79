#include "reference_trainer/plan/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
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

const graph::Op* batch_norm_of(const graph::Graph& forward) {
  const auto found = std::ranges::find(forward.ops, graph::OpKind::batch_norm, &graph::Op::kind);
  return found == forward.ops.end() ? nullptr : &*found;
}

/// Microbatches take whole groups of a norm.
int64_t most_microbatches(const graph::Op* norm, const Work& work) {
  if (!norm) return work.batch;
  return norm->attr.norm_group == 0 ? 1 : std::max<int64_t>(work.batch / norm->attr.norm_group, 1);
}

/// Texts of the passes that are tried with a mesh; the first is the mesh alone, or with the schedule it needs.
std::vector<std::string> passes_of(const graph::Graph& forward, const std::vector<text::MeshAxis>& axes,
                                   const Work& work) {
  const text::Strategy mesh{axes, {}, {}, {}};
  const int stages = mesh.size(Axis::pp);
  const graph::Op* norm = batch_norm_of(forward);
  const int64_t most =
      std::min(microbatches(stages > 1 ? int64_t{4} * stages : 4, mesh, work), most_microbatches(norm, work));
  std::vector<std::string> orders = {""};
  if (stages > 1) {
    orders = {most > 1 || !norm ? fmt::format("/1f1b:m={}", most) : "/naive"};
  } else if (most > 1) {
    orders.push_back(fmt::format("/accum:m={}", most));
  }
  std::vector<std::string> shards = {""}, sequences = {""}, syncs = {""};
  if (mesh.size(Axis::dp) > 1) shards = {"", "/zero1", "/zero2", "/zero3"};
  if (mesh.size(Axis::tp) > 1 && has_sequence(forward)) sequences.emplace_back("/sp");
  if (norm && mesh.size(Axis::dp) > 1) {
    syncs = {"/sync_bn"};
  } else if (norm && (mesh.size(Axis::h) > 1 || mesh.size(Axis::w) > 1)) {
    syncs.emplace_back("/sync_bn");
  }
  std::vector<std::string> all;
  for (const std::string& sync : syncs) {
    for (const std::string& sequence : sequences) {
      for (const std::string& order : orders) {
        for (const std::string& shard : shards) all.push_back(sync + sequence + order + shard);
      }
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
  const double share = static_cast<double>(candidate.peak_bytes) / static_cast<double>(fit_bytes);
  candidate.reason = share < 2 ? fmt::format("needs {:.1f} % more than there is", 100 * (share - 1))
                               : fmt::format("needs {:.1f} times as much as there is", share);
}

/// Schedules that idle less than 1f1b for what they send or keep besides. (gpipe idles as much and keeps more.)
std::vector<text::Strategy> other_schedules(const text::Strategy& strategy) {
  std::vector<text::Strategy> others;
  for (const text::Term& other : {text::Term{"zb_h1", {}}, text::Term{"interleaved", {{"v", "2"}}}}) {
    text::Strategy changed = strategy;
    for (text::Term& pass : changed.passes) {
      if (pass.name != "1f1b") continue;
      pass.name = other.name;
      pass.arguments.insert(pass.arguments.end(), other.arguments.begin(), other.arguments.end());
      others.push_back(changed);
    }
  }
  return others;
}

text::Strategy with_recomputation(const text::Strategy& strategy) {
  return text::parse_strategy(text::print(strategy) + "/recompute:full");
}

/// What is to be looked at next, made of what was found: `add` leaves the search as it is until `look`.
class Candidates {
 public:
  Candidates(const graph::Graph& forward, const Work& work, int64_t fit_bytes,
             const std::function<void(size_t)>& progress, Search& out)
      : forward_(forward), work_(work), fit_bytes_(fit_bytes), progress_(progress), out_(out) {}

  void add(text::Strategy strategy) {
    if (out_.candidates.size() + waiting_.size() < static_cast<size_t>(kMostCandidates)) {
      waiting_.push_back({.strategy = std::move(strategy)});
    } else {
      ++out_.not_tried;
    }
  }
  /// Looks at them; of variants of legal strategies only those count that are legal too.
  void look(bool are_variants) {
    look_at_each();
    for (Candidate& candidate : waiting_) {
      if (candidate.legal() || !are_variants) out_.candidates.push_back(std::move(candidate));
    }
    waiting_.clear();
  }

 private:
  /// On all processors: a plan is a pure function of its strategy.
  void look_at_each() {
    std::atomic<size_t> next = 0;
    const auto take = [&](const std::function<void(size_t)>& progress) {
      for (size_t i = next++; i < waiting_.size(); i = next++) {
        look_at(forward_, work_, fit_bytes_, waiting_[i]);
        if (progress) progress(looked_at_ + i + 1);
      }
    };
    {
      std::vector<std::jthread> others;
      for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) others.emplace_back(take, nullptr);
      take(progress_);
    }
    looked_at_ += waiting_.size();
  }

  const graph::Graph& forward_;
  const Work& work_;
  const int64_t fit_bytes_;
  const std::function<void(size_t)>& progress_;
  Search& out_;
  size_t looked_at_ = 0;
  std::vector<Candidate> waiting_;
};

}  // namespace

Search search(const graph::Graph& forward, int ranks, const Work& work, int64_t fit_bytes,
              const std::function<void(size_t looked_at)>& progress) {
  Search out;
  std::vector<text::MeshAxis> mesh;
  std::vector<std::vector<text::MeshAxis>> meshes;
  add_meshes(acting_axes(forward, work, out.idle_axes), 0, ranks, mesh, meshes);
  Candidates candidates(forward, work, fit_bytes, progress, out);
  const auto strategy_of = [](const std::vector<text::MeshAxis>& axes, const std::string& passes) {
    return text::parse_strategy(spelled(axes) + passes);
  };
  for (const auto& axes : meshes) candidates.add(strategy_of(axes, passes_of(forward, axes, work).front()));
  candidates.look(false);
  const size_t alone = out.candidates.size();
  for (size_t i = 0; i < alone; ++i) {
    if (!out.candidates[i].legal()) continue;
    const std::vector<std::string> all = passes_of(forward, meshes[i], work);
    for (size_t k = 1; k < all.size(); ++k) candidates.add(strategy_of(meshes[i], all[k]));
  }
  candidates.look(false);
  for (const Candidate& candidate : out.candidates) {
    if (!candidate.legal()) continue;
    for (text::Strategy& other : other_schedules(candidate.strategy)) candidates.add(std::move(other));
  }
  candidates.look(true);
  for (const Candidate& candidate : out.candidates) {
    if (candidate.kind == "too_large") candidates.add(with_recomputation(candidate.strategy));
  }
  candidates.look(true);
  std::ranges::stable_sort(out.candidates, [](const Candidate& a, const Candidate& b) {
    return std::tuple(!a.legal(), !a.kind.empty(), a.peak_bytes, a.sent_bytes, a.bubble) <
           std::tuple(!b.legal(), !b.kind.empty(), b.peak_bytes, b.sent_bytes, b.bubble);
  });
  return out;
}

}  // namespace lockstep::plan
