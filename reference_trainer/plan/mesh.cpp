#include "reference_trainer/plan/mesh.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace lockstep::plan {

int Mesh::ranks() const {
  int product = 1;
  for (const text::MeshAxis& axis : axes_) product *= axis.size;
  return product;
}

int Mesh::size(Axis axis) const {
  for (const text::MeshAxis& entry : axes_) {
    if (entry.axis == axis) return entry.size;
  }
  return 1;
}

int Mesh::stride(Axis axis) const {
  int stride = 1;
  for (size_t i = axes_.size(); i-- > 0 && axes_[i].axis != axis;) stride *= axes_[i].size;
  return stride;
}

int Mesh::coordinate(int rank, Axis axis) const { return rank / stride(axis) % size(axis); }

int Mesh::data_index(int rank) const {
  int index = 0;
  for (Axis axis : kSampleAxes) index = index * size(axis) + coordinate(rank, axis);
  return index;
}

int Mesh::data_count() const {
  int count = 1;
  for (Axis axis : kSampleAxes) count *= size(axis);
  return count;
}

std::vector<int> Mesh::group(int rank, Axis axis) const {
  const int step = stride(axis), first = rank - coordinate(rank, axis) * step;
  std::vector<int> ranks;
  for (int i = 0; i < size(axis); ++i) ranks.push_back(first + i * step);
  return ranks;
}

std::vector<int> Mesh::group(int rank, std::span<const Axis> axes) const {
  std::vector<int> members;
  for (int other = 0; other < ranks(); ++other) {
    const bool inside = std::ranges::all_of(axes_, [&](const text::MeshAxis& entry) {
      return std::ranges::find(axes, entry.axis) != axes.end() ||
             coordinate(other, entry.axis) == coordinate(rank, entry.axis);
    });
    if (inside) members.push_back(other);
  }
  return members;
}

std::string Mesh::print_groups(Axis axis) const {
  constexpr size_t kMost = 8;
  const auto join = [](std::vector<std::string> parts, std::string_view between) {
    if (parts.size() > kMost) parts = {parts[0], parts[1], "..", parts.back()};
    return fmt::format("{}", fmt::join(parts, between));
  };
  std::vector<std::string> groups;
  for (int rank = 0; rank < ranks(); ++rank) {
    if (coordinate(rank, axis) != 0) continue;
    std::vector<std::string> members;
    for (int member = 0; member < size(axis); ++member) members.push_back(std::to_string(rank + member * stride(axis)));
    groups.push_back("{" + join(members, ",") + "}");
  }
  return join(groups, " ");
}

}  // namespace lockstep::plan
