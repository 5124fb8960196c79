#include "reference_trainer/plan/local_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "adapters/contract/failure.h"
#include "adapters/contract/invariant.h"

namespace lockstep::plan {

using graph::TensorId;

namespace {

/// The layout after one step of a conversion.
Layout after(const Layout& have, const Conversion& step) {
  Layout layout = have;
  switch (step.kind) {
    case Conversion::all_gather:
      layout.split[static_cast<size_t>(step.tensor_axis)].pop_back();
      break;
    case Conversion::slice:
    case Conversion::reduce_scatter:
      layout.split[static_cast<size_t>(step.tensor_axis)].push_back(step.axis);
      break;
    case Conversion::zero_others:
      layout.partial.push_back(step.axis);
      break;
    case Conversion::all_to_all:
      layout.split[static_cast<size_t>(step.tensor_axis)].pop_back();
      layout.split[static_cast<size_t>(step.to_axis)].push_back(step.axis);
      break;
    case Conversion::all_reduce:
    case Conversion::rotate:
    case Conversion::halo:
    case Conversion::halo_sum:
      break;
  }
  if (step.kind == Conversion::all_reduce || step.kind == Conversion::reduce_scatter)
    std::erase(layout.partial, step.axis);
  return layout;
}

/// How many pieces each rank of an axis takes.
int64_t pieces(Axis axis) { return axis == Axis::cp ? 2 : 1; }

/// Names the most that the last axis could have beside the others, since the others may be right.
std::string too_many_ways(const std::string& tensor, const graph::Extent& extent, const std::vector<Axis>& axes,
                          const Mesh& mesh) {
  std::string listed;
  int64_t ways = 1;
  for (Axis axis : axes) {
    ways *= mesh.size(axis) * pieces(axis);
    listed += fmt::format("{}{}{}", listed.empty() ? "" : ".", text::name(axis), mesh.size(axis));
    if (axis == Axis::cp) listed += ", two pieces a rank";
  }
  const Axis last = axes.back();
  const int64_t most = extent.size * mesh.size(last) / ways;
  const std::string nearest = most > 1 ? fmt::format("{}{} is the most", text::name(last), most)
                                       : fmt::format("leave {} out", text::name(last));
  return fmt::format("{}: its {} {} cannot be split {} ways ({}); {}, or take a larger preset", tensor,
                     graph::name(extent.dim), extent.size, ways, listed, nearest);
}

}  // namespace

graph::Part LocalBuilder::part_of(const std::string& name, const graph::Shape& whole, const Layout& layout,
                                  int rank) const {
  graph::Part part{whole, std::vector<std::vector<graph::Interval>>(whole.size())};
  bool split = false;
  for (size_t i = 0; i < whole.size(); ++i) {
    if (whole[i].dim == graph::Dim::batch) continue;
    int64_t ways = 1;
    for (Axis axis : layout.split[i]) ways *= mesh_.size(axis) * pieces(axis);
    if (ways > whole[i].size) {
      throw Failure("unsupported", too_many_ways(name, whole[i], layout.split[i], mesh_));
    }
    part.axes[i] = owned(whole[i].size, layout.split[i], mesh_, rank);
    split |= ways > 1;
  }
  return split ? part : graph::Part{};
}

/// The pieces of the first axis are dealt out, not its positions.
void LocalBuilder::take_blocks(graph::Tensor& tensor, const std::vector<Axis>& split, int rank) const {
  const graph::Extent blocks{graph::Dim::table, static_cast<int64_t>(tensor.blocks.size())};
  int64_t ways = 1;
  for (Axis axis : split) ways *= mesh_.size(axis);
  if (ways > blocks.size) throw Failure("unsupported", too_many_ways(tensor.name, blocks, split, mesh_));
  const graph::Interval mine = owned(blocks.size, split, mesh_, rank).front();
  const auto begin_of = [&](int64_t block) {
    return std::accumulate(tensor.blocks.begin(), tensor.blocks.begin() + block, int64_t{0});
  };
  tensor.part.axes[0] = {{begin_of(mine.begin), begin_of(mine.end)}};
}

int64_t LocalBuilder::batches_here(const std::vector<Axis>& split) const {
  int64_t ranks = 1;
  for (Axis axis : kSampleAxes) ranks *= contains(split, axis) ? 1 : mesh_.size(axis);
  return ranks > 1 ? ranks : 0;
}

const graph::Shape& LocalBuilder::whole_shape(TensorId id) const {
  const graph::Tensor& t = tensor(id);
  return t.part.is_whole() ? t.shape : t.part.whole;
}

TensorId LocalBuilder::add(const graph::Tensor& whole, Layout layout) {
  return add_part(whole, std::move(layout), rank_);
}

TensorId LocalBuilder::add_part(const graph::Tensor& whole, Layout layout, int rank) {
  graph::Tensor local = whole;
  local.part = part_of(whole.name, whole.shape, layout, rank);
  if (!whole.blocks.empty() && !layout.split[0].empty()) take_blocks(local, layout.split[0], rank);
  for (size_t i = 0; i < local.part.axes.size(); ++i) {
    if (whole.shape[i].dim != graph::Dim::batch) local.shape[i].size = length(local.part.axes[i]);
  }
  if (graph::has_batch(whole.shape)) local.shape[0].size = batches_here(layout.split[0]);
  local_.graph.tensors.push_back(std::move(local));
  local_.layouts.push_back(std::move(layout));
  return static_cast<TensorId>(local_.graph.tensors.size()) - 1;
}

TensorId LocalBuilder::add(const std::string& name, const graph::Shape& whole, Layout layout) {
  graph::Tensor tensor;
  tensor.name = name;
  tensor.shape = whole;
  return add(tensor, std::move(layout));
}

TensorId LocalBuilder::add_like(const std::string& name, TensorId other) {
  graph::Tensor like = tensor(other);
  like.name = name;
  local_.graph.tensors.push_back(std::move(like));
  local_.layouts.push_back(Layout(layout(other)));
  return static_cast<TensorId>(local_.graph.tensors.size()) - 1;
}

TensorId LocalBuilder::convert(TensorId id, const Layout& want, const std::string& reader) {
  for (const Conversion& step : plan::convert(layout(id), want))
    id = exchange(id, step, Reduction::sum, after(layout(id), step), reader);
  return id;
}

std::vector<std::vector<graph::Interval>> LocalBuilder::needs_of(const Window& window, int64_t outputs, int64_t size,
                                                                 Axis over) const {
  std::vector<std::vector<graph::Interval>> needs;
  for (int i = 0; i < mesh_.size(over); ++i)
    needs.push_back({needed(window, share(outputs, over, i, mesh_.size(over)).front(), size).inputs});
  return needs;
}

void LocalBuilder::widen(TensorId id, size_t axis, const graph::Interval& interval) {
  graph::Tensor& t = local_.graph.tensors[static_cast<size_t>(id)];
  if (t.part.is_whole()) {
    t.part.whole = t.shape;
    for (const graph::Extent& extent : t.shape) t.part.axes.push_back({{0, extent.size}});
    if (graph::has_batch(t.shape)) t.part.axes[0].clear();
  }
  t.part.axes[axis] = {interval};
  t.shape[axis].size = interval.size();
}

TensorId LocalBuilder::add_halo(TensorId id, size_t axis, const Window& window, int64_t outputs, Axis over,
                                const std::string& reader) {
  const bool split = !layout(id).split[axis].empty();
  const int64_t size = whole_shape(id)[axis].size;
  Exchange entry{{split ? Conversion::halo : Conversion::slice, over, static_cast<int>(axis)},
                 Reduction::sum,
                 id,
                 add_like(fmt::format("{} (halo {})", tensor(id).name, text::name(over)), id),
                 {},
                 {},
                 ""};
  local_.layouts[static_cast<size_t>(entry.out)].split[axis] = {over};
  const auto needs = needs_of(window, outputs, size, over);
  widen(entry.out, axis, needs[static_cast<size_t>(mesh_.coordinate(rank_, over))].front());
  entry.why = fmt::format("{}: {} over {}", reader, name(entry.conversion.kind), text::name(over));
  if (split) {
    for (int i = 0; i < mesh_.size(over); ++i) entry.shares.push_back(share(size, over, i, mesh_.size(over)));
    entry.needs = needs;
  } else {
    entry.shares = needs;
  }
  return finish(std::move(entry));
}

TensorId LocalBuilder::add_wide(const graph::Tensor& whole, Layout layout, const std::vector<AxisWindow>& windows) {
  const std::vector<std::vector<Axis>> split = layout.split;
  const TensorId id = add(whole, std::move(layout));
  for (size_t axis = 0; axis < windows.size(); ++axis) {
    if (windows[axis].outputs == 0 || split[axis].empty()) continue;
    const Axis over = split[axis].front();
    widen(id, axis,
          needs_of(windows[axis].window, windows[axis].outputs, whole.shape[axis].size,
                   over)[static_cast<size_t>(mesh_.coordinate(rank_, over))]
              .front());
  }
  wide_[id] = windows;
  return id;
}

TensorId LocalBuilder::add_halo_up(TensorId id, const std::string& reader) {
  const std::vector<AxisWindow> windows = wide_.at(id);
  // The other way round than the halo was made: columns first, so that corners find their way.
  for (size_t axis = windows.size(); axis-- > 0;) {
    if (windows[axis].outputs == 0 || layout(id).split[axis].empty()) continue;
    const Axis over = layout(id).split[axis].front();
    const int64_t size = whole_shape(id)[axis].size;
    Exchange entry{{Conversion::halo_sum, over, static_cast<int>(axis)},
                   Reduction::sum,
                   id,
                   add_like(fmt::format("{} (halo_sum {})", tensor(id).name, text::name(over)), id),
                   {},
                   {},
                   ""};
    widen(entry.out, axis, share(size, over, mesh_.coordinate(rank_, over), mesh_.size(over)).front());
    entry.why = fmt::format("{}: halo_sum over {}", reader, text::name(over));
    for (int i = 0; i < mesh_.size(over); ++i) entry.shares.push_back(share(size, over, i, mesh_.size(over)));
    entry.needs = needs_of(windows[axis].window, windows[axis].outputs, size, over);
    local_.graph.tensors[static_cast<size_t>(entry.out)].role = graph::Role::activation;
    id = finish(std::move(entry));
  }
  return id;
}

std::vector<std::vector<graph::Interval>> LocalBuilder::shares_of(int64_t longer, Axis axis) const {
  std::vector<std::vector<graph::Interval>> shares;
  for (int i = 0; i < mesh_.size(axis); ++i) shares.push_back(share(longer, axis, i, mesh_.size(axis)));
  return shares;
}

TensorId LocalBuilder::max_over(TensorId id, Axis axis, const std::string& reader) {
  return exchange(id, {Conversion::all_reduce, axis, -1}, Reduction::max, layout(id), reader);
}

TensorId LocalBuilder::rotate(TensorId id, Axis axis, int turns, const std::string& reader) {
  const std::vector<int> members = mesh_.group(rank_, axis);
  const int count = static_cast<int>(members.size()), self = mesh_.coordinate(rank_, axis);
  const int owner = members[static_cast<size_t>(((self - turns) % count + count) % count)];
  graph::Tensor whole = tensor(id);
  whole.name = fmt::format("{} (turn {})", reader, turns);
  whole.shape = whole_shape(id);
  Exchange entry{{Conversion::rotate, axis, -1}, Reduction::sum, id, add_part(whole, layout(id), owner), {}, {}, ""};
  entry.why = fmt::format("{}: rotate over {}", reader, text::name(axis));
  return finish(std::move(entry));
}

TensorId LocalBuilder::finish(Exchange entry) {
  graph::Op op{graph::OpKind::exchange, tensor(entry.out).name, {entry.in}, {entry.out}, {}};
  op.attr.exchange = static_cast<int32_t>(local_.exchanges.size());
  op.attr.in_place =
      entry.conversion.kind == Conversion::all_reduce || entry.conversion.kind == Conversion::zero_others;
  const TensorId out = entry.out;
  local_.exchanges.push_back(std::move(entry));
  add(std::move(op));
  return out;
}

TensorId LocalBuilder::exchange(TensorId id, const Conversion& conversion, Reduction reduction, Layout layout,
                                const std::string& reader) {
  Exchange entry{conversion, reduction, id, graph::kNoTensor, {}, {}, ""};
  entry.why = fmt::format("{}: {} over {}", reader, name(conversion.kind), text::name(conversion.axis));
  graph::Tensor whole = tensor(id);
  whole.name = fmt::format("{} ({} {})", whole.name, name(conversion.kind), text::name(conversion.axis));
  whole.shape = whole_shape(id);
  whole.role = graph::Role::activation;
  const auto axis = static_cast<size_t>(conversion.tensor_axis);
  const bool turns = conversion.kind == Conversion::all_to_all;
  entry.out = add(whole, std::move(layout));
  if (conversion.tensor_axis >= 0) {
    const bool gathers = conversion.kind == Conversion::all_gather || turns;
    entry.shares = shares_of(tensor(gathers ? entry.out : id).shape[axis].size, conversion.axis);
  }
  if (turns) {
    const auto to = static_cast<size_t>(conversion.to_axis);
    entry.needs = shares_of(tensor(id).shape[to].size, conversion.axis);
  }
  return finish(std::move(entry));
}

}  // namespace lockstep::plan
