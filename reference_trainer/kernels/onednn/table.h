#pragma once

#include "reference_trainer/kernels/onednn/compiler.h"

namespace lockstep::kernels::onednn {

/// The compile function of an op kind.
CompileOp compiler_of(graph::OpKind kind);

}  // namespace lockstep::kernels::onednn
