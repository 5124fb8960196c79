#pragma once

#include "reference_trainer/kernels/naive/call.h"

namespace lockstep::kernels::naive {

/// The kernel of an op kind; T is float or double.
template <class T>
Kernel<T> kernel_for(graph::OpKind kind);

}  // namespace lockstep::kernels::naive
