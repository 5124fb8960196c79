#pragma once

#include <span>
#include <string>
#include <vector>

#include "reference_trainer/plan/text/strategy.h"

namespace lockstep::plan {

using text::Axis;

/// Ranks along these have different samples: those that a step's samples are dealt out over, the last one fastest.
inline constexpr Axis kSampleAxes[] = {Axis::dp, Axis::ep};

inline bool deals_samples(Axis axis) { return axis == Axis::dp || axis == Axis::ep; }

/// Ranks on named axes; the last axis varies fastest.
class Mesh {
 public:
  explicit Mesh(std::vector<text::MeshAxis> axes) : axes_(std::move(axes)) {}

  const std::vector<text::MeshAxis>& axes() const { return axes_; }
  int ranks() const;
  /// Size of an axis; 1 where the mesh lacks it.
  int size(Axis axis) const;
  /// Where a rank stands on an axis; 0 where the mesh lacks it.
  int coordinate(int rank, Axis axis) const;
  /// Which share of a step's samples a rank has, of how many: ranks are counted along the sample axes.
  int data_index(int rank) const;
  int data_count() const;
  /// The ranks that differ from `rank` only on this axis, in the axis's order.
  std::vector<int> group(int rank, Axis axis) const;
  /// The ranks that differ from `rank` only on these axes, by rank number; all of them when the mesh has no others.
  std::vector<int> group(int rank, std::span<const Axis> axes) const;
  /// All groups of an axis: "{0,2} {1,3}"; of more than eight groups, or ranks of one, the first two and the last.
  std::string print_groups(Axis axis) const;

 private:
  /// How far apart neighbours on the axis are in rank numbers.
  int stride(Axis axis) const;
  std::vector<text::MeshAxis> axes_;
};

}  // namespace lockstep::plan
