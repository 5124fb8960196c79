#include "reference_trainer/plan/layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::plan {
namespace {

/// How many mesh axes both splits of a tensor axis begin with: these need no conversion.
size_t common_prefix(const std::vector<Axis>& a, const std::vector<Axis>& b) {
  size_t n = 0;
  while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
  return n;
}

/// The tensor axis whose split, as far as it is there, goes on with this mesh axis; -1: none.
int goes_on_with(const std::vector<std::vector<Axis>>& now, const std::vector<std::vector<Axis>>& want, Axis axis) {
  for (size_t i = 0; i < want.size(); ++i) {
    const size_t n = now[i].size();
    if (n < want[i].size() && common_prefix(now[i], want[i]) == n && want[i][n] == axis) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

bool contains(const std::vector<Axis>& axes, Axis axis) { return std::ranges::find(axes, axis) != axes.end(); }

Layout replicated(const graph::Tensor& tensor) { return {std::vector<std::vector<Axis>>(tensor.shape.size()), {}}; }

std::string print(const Layout& layout, const graph::Tensor& tensor) {
  std::string text;
  const graph::Shape& whole = tensor.part.is_whole() ? tensor.shape : tensor.part.whole;
  for (size_t i = 0; i < layout.split.size(); ++i) {
    const graph::Extent& extent = whole[i];
    text += fmt::format("{}{}", i ? ", " : "", graph::name(extent.dim));
    if (extent.dim != graph::Dim::batch) text += fmt::format(" {}", extent.size);
    for (Axis axis : layout.split[i]) text += fmt::format("/{}", text::name(axis));
  }
  text = "[" + text + "]";
  for (Axis axis : layout.partial) text += fmt::format(" partial {}", text::name(axis));
  return text;
}

std::string_view name(Conversion::Kind kind) {
  constexpr std::string_view kNames[] = {"slice", "zero_others", "all_reduce", "reduce_scatter", "all_gather",
                                         "halo",  "halo_sum",    "rotate",     "all_to_all"};
  return kNames[kind];
}

std::vector<Conversion> convert(const Layout& have, const Layout& want) {
  std::vector<Conversion> result;
  std::vector<Axis> resolved = want.partial;  // mesh axes of have.partial that need nothing more
  auto now = have.split;
  for (size_t i = 0; i < now.size(); ++i) {
    const size_t kept = common_prefix(now[i], want.split[i]);
    for (size_t n = now[i].size(); n-- > kept;) {
      const Axis axis = now[i][n];
      const int to = goes_on_with(now, want.split, axis);
      now[i].pop_back();
      if (to >= 0) now[static_cast<size_t>(to)].push_back(axis);
      result.push_back({to >= 0 ? Conversion::all_to_all : Conversion::all_gather, axis, static_cast<int>(i), to});
    }
  }
  for (size_t i = 0; i < want.split.size(); ++i) {
    const auto& to = want.split[i];
    for (size_t n = now[i].size(); n < to.size(); ++n) {
      const bool sums = contains(have.partial, to[n]);
      result.push_back({sums ? Conversion::reduce_scatter : Conversion::slice, to[n], static_cast<int>(i)});
      if (sums) resolved.push_back(to[n]);
    }
  }
  for (Axis axis : have.partial) {
    if (!contains(resolved, axis)) result.push_back({Conversion::all_reduce, axis, -1});
  }
  for (Axis axis : want.partial) {
    if (!contains(have.partial, axis)) result.push_back({Conversion::zero_others, axis, -1});
  }
  return result;
}

}  // namespace lockstep::plan
