#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference_trainer/graph/graph.h"
#include "reference_trainer/plan/layout.h"
#include "reference_trainer/plan/mesh.h"

namespace lockstep::plan {

enum class Reduction : uint8_t { sum, max };

/// One `exchange` op of a local graph: a conversion of tensor `in` to tensor `out` over the ranks of one mesh axis.
struct Exchange {
  Conversion conversion;
  Reduction reduction = Reduction::sum;
  graph::TensorId in = graph::kNoTensor, out = graph::kNoTensor;
  /// Of slice, reduce_scatter and all_gather: what each member of the group holds of the tensor axis, as positions in
  /// the longer of the two tensors.
  std::vector<std::vector<graph::Interval>> shares;
  /// Of halo and halo_sum: what each member needs of the axis; `shares` is then what it has, both in the whole axis. Of
  /// all_to_all: what each member gets of the axis that will be split, and `shares` what it has of the other. Samples
  /// are counted in members' batches, which are equally large.
  std::vector<std::vector<graph::Interval>> needs;
  std::string why;  ///< "linear b0.fc2: all_reduce over tp"
  /// Of an all_reduce along the batch: one row is sent for so many samples; 0: for all of them together.
  int64_t samples_a_row = 1;
};

/// Rows along the batch that an all_reduce sends when a rank has so many samples.
int64_t rows_sent(const Exchange& exchange, int64_t samples);

/// Bytes that a rank sends in an exchange whose longer tensor has so many bytes, when shares are equal: 2(p-1)/p of
/// them for an all_reduce, (p-1)/p for reduce_scatter, all_gather and all_to_all, all of them for rotate, none for what
/// is local.
double sent_by_rank(const Exchange& exchange, const Mesh& mesh, double bytes);

/// What member `index` of `count` holds of an axis of n positions: a block (the first n mod count ones are one longer),
/// or over the context-parallel axis two blocks, one from either end, so that a causal model gives all the same work.
std::vector<graph::Interval> share(int64_t n, Axis axis, int index, int count);

/// The positions of `inner` when it is counted along `outer`: a share of a share.
std::vector<graph::Interval> within(const std::vector<graph::Interval>& outer,
                                    const std::vector<graph::Interval>& inner);

/// What two lists of positions have in common.
std::vector<graph::Interval> common(const std::vector<graph::Interval>& a, const std::vector<graph::Interval>& b);

int64_t length(const std::vector<graph::Interval>& intervals);

/// What `rank` holds of an axis of n positions that is split over `axes`, one after the other.
std::vector<graph::Interval> owned(int64_t n, const std::vector<Axis>& axes, const Mesh& mesh, int rank);

}  // namespace lockstep::plan
