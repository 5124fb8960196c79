#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference_trainer/graph/graph.h"
#include "reference_trainer/plan/text/strategy.h"

namespace lockstep::plan {

using text::Axis;

/// How a tensor is spread over the ranks: each of its axes is split over an ordered list of mesh axes (usually none),
/// and its values may be partial sums over further mesh axes. All else is replicated.
struct Layout {
  std::vector<std::vector<Axis>> split;  ///< one entry a tensor axis
  std::vector<Axis> partial;             ///< the value is the sum over these

  bool operator==(const Layout&) const = default;
};

bool contains(const std::vector<Axis>& axes, Axis axis);

Layout replicated(const graph::Tensor& tensor);

/// "[batch/dp, hidden 64/tp] partial dp": the sizes are those of the whole tensor.
std::string print(const Layout& layout, const graph::Tensor& tensor);

/// What has to happen to a tensor, in order, so that it gets another layout.
struct Conversion {
  enum Kind : uint8_t {
    slice,           ///< replicated -> split: local
    zero_others,     ///< replicated -> partial: all but the first rank take zeros, local
    all_reduce,      ///< partial -> replicated
    reduce_scatter,  ///< partial -> split
    all_gather,      ///< split -> replicated
    halo,            ///< split -> split, and what windows reach into of other members' parts
    halo_sum,        ///< the other way: what lies in other members' parts is added there
    rotate,          ///< each member's part goes to the next: no change of layout, but of whose part it is
    all_to_all,      ///< split on one tensor axis -> split on another
  };
  Kind kind = all_reduce;
  Axis axis = Axis::dp;
  int tensor_axis = -1;  ///< of slice, reduce_scatter and all_gather; of all_to_all the one that was split
  int to_axis = -1;      ///< of all_to_all: the one that will be split

  bool operator==(const Conversion&) const = default;
};

std::string_view name(Conversion::Kind kind);

/// The conversions from one layout to another, one mesh axis after the other; empty when they are equal. Total: every
/// pair of layouts of a tensor has an answer. A tensor axis that is split over several mesh axes is gathered from the
/// last to the first and split from the first to the last; what moves from the end of one axis's split to where the
/// next one of another is wanted needs no gather.
std::vector<Conversion> convert(const Layout& have, const Layout& want);

}  // namespace lockstep::plan
