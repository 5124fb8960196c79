#pragma once

#include "reference_trainer/kernels/onednn/compiler.h"

namespace lockstep::kernels::onednn {

/// A matrix product of the op being compiled: cut along its longer side, a part a thread.
class Multiply {
 public:
  /// c will be m x n.
  Multiply(Compiler& compiler, int64_t m, int64_t n);

  void operator()(const Gemm& gemm) const;

 private:
  GemmCode code_;
  int threads_;
  bool by_rows_;
  Slot scratch_;
};

}  // namespace lockstep::kernels::onednn
