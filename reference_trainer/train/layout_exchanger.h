#pragma once

#include <span>
#include <vector>

#include "reference_trainer/kernels/operand.h"
#include "reference_trainer/plan/plan.h"
#include "reference_trainer/train/groups.h"
#include "reference_trainer/train/memory_block.h"

namespace lockstep::train {

/// Brings tensors of a stage's local graph from one layout to another, as its exchanges say. Plan, groups and staging
/// memory outlive it.
template <class Real>
class LayoutExchanger {
 public:
  /// `stage`: index into the plan's stages.
  LayoutExchanger(const plan::Plan& plan, size_t stage, Groups& groups, Staging& staging)
      : plan_(plan), graph_(plan.stages[stage].local.graph), groups_(groups), staging_(staging) {}

  /// `in` and `out`: dense, row-major, with `batch` samples a rank; the same memory where the exchange is in place.
  void run(const plan::Exchange& exchange, int64_t batch, const void* in, void* out);

 private:
  using Shares = std::vector<std::vector<graph::Interval>>;
  /// An axis of a tensor, and what each member has of it, as positions.
  struct Pieces {
    kernels::Around shape;
    Shares shares;
  };
  /// `longer`: the one of the two tensors that has all positions of the axis.
  Pieces pieces_of(graph::TensorId longer, int axis, Shares shares, int64_t batch) const;

  /// Carries out what only moves numbers, of whatever type.
  template <class T>
  void move(const plan::Exchange& exchange, int64_t batch, const T* in, T* out);
  template <class T>
  void slice(const plan::Exchange& exchange, int64_t batch, const T* in, T* out) const;
  void reduce(const plan::Exchange& exchange, int64_t batch, const Real* in, Real* out);
  void zero_others(const plan::Exchange& exchange, int64_t batch, const Real* in, Real* out) const;
  void scatter(const plan::Exchange& exchange, int64_t batch, const Real* in, Real* out);
  template <class T>
  void gather(const plan::Exchange& exchange, int64_t batch, const T* in, T* out);
  template <class T>
  void halo(const plan::Exchange& exchange, int64_t batch, const T* in, T* out, const Shares& have, const Shares& want);
  template <class T>
  void rotate(const plan::Exchange& exchange, int64_t batch, const T* in, T* out);
  template <class T>
  void all_to_all(const plan::Exchange& exchange, int64_t batch, const T* in, T* out);
  void set_bounds(const Shares& shares, int64_t per_position);
  int member(const plan::Exchange& exchange) const {
    return plan_.mesh.coordinate(plan_.rank, exchange.conversion.axis);
  }

  const plan::Plan& plan_;
  const graph::Graph& graph_;
  Groups& groups_;
  Staging& staging_;
  std::vector<int64_t> bounds_;  ///< of the members' shards in the staging memory
};

}  // namespace lockstep::train
