#pragma once

#include "reference_trainer/kernels/executable.h"
#include "reference_trainer/plan/plan.h"
#include "reference_trainer/train/groups.h"
#include "reference_trainer/train/memory_block.h"

namespace lockstep::train {

/// Carries out the exchanges of a plan's local graph. The plan and the groups outlive it.
template <class Real>
class Exchanger : public kernels::Exchanges {
 public:
  Exchanger(const plan::Plan& plan, Groups& groups) : plan_(plan), groups_(groups) {}

  void run(int32_t index, int64_t batch, const void* in, void* out) override;

 private:
  template <class T>
  void slice(const plan::Exchange& exchange, int64_t batch, const T* in, T* out) const;
  void reduce(const plan::Exchange& exchange, int64_t batch, const Real* in, Real* out);
  void zero_others(const plan::Exchange& exchange, int64_t batch, const Real* in, Real* out) const;
  void scatter(const plan::Exchange& exchange, int64_t batch, const Real* in, Real* out);
  void gather(const plan::Exchange& exchange, int64_t batch, const Real* in, Real* out);
  std::span<Real> staging(int64_t count);
  void set_bounds(const plan::Exchange& exchange, int64_t per_position);
  int member(const plan::Exchange& exchange) const {
    return plan_.mesh.coordinate(plan_.rank, exchange.conversion.axis);
  }

  const plan::Plan& plan_;
  Groups& groups_;
  MemoryBlock staging_;
  std::vector<int64_t> bounds_;  ///< of the members' shards in the staging memory
};

}  // namespace lockstep::train
