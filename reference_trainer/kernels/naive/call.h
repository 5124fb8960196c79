#pragma once

#include <cstdint>
#include <vector>

#include "reference_trainer/graph/graph.h"
#include "reference_trainer/kernels/executable.h"
#include "reference_trainer/kernels/operand.h"

namespace lockstep::kernels::naive {

/// One op with everything that it needs to run.
template <class T>
struct Call {
  const graph::Op& op;
  const std::vector<Operand>&in, &out;
  const StepContext& context;

  const graph::Attributes& attr() const { return op.attr; }
  const T* x(size_t i) const { return in[i].template as<const T>(); }
  const int32_t* index(size_t i) const { return in[i].template as<const int32_t>(); }
  T* y(size_t i) const { return out[i].template as<T>(); }
  int32_t* index_out(size_t i) const { return out[i].template as<int32_t>(); }
};

template <class T>
using Kernel = void (*)(const Call<T>&);

}  // namespace lockstep::kernels::naive
