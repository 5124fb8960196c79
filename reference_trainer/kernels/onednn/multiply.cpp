#include "reference_trainer/kernels/onednn/multiply.h"

#include "reference_trainer/kernels/onednn/parallel.h"

namespace lockstep::kernels::onednn {
namespace {

constexpr int64_t kScratch = (gemm_scratch_floats() + 15) / 16 * 16;  // a thread

}  // namespace

Multiply::Multiply(Compiler& compiler, int64_t m, int64_t n)
    : code_(compiler.code().gemm),
      threads_(compiler.threads()),
      by_rows_(m >= n),
      scratch_(compiler.scratch(kScratch * threads_ * int64_t{sizeof(float)})) {}

void Multiply::operator()(const Gemm& gemm) const {
  parallel_for(threads_, by_rows_ ? gemm.m : gemm.n, by_rows_ ? kTileM : kPanel,
               [&](int64_t begin, int64_t end, int part) {
                 Gemm mine = gemm;
                 if (by_rows_) {
                   mine.m = end - begin;
                   mine.a.data = gemm.a.at(begin, 0);
                   mine.c = gemm.c + begin * gemm.ldc;
                 } else {
                   mine.n = end - begin;
                   mine.b.data = gemm.b.at(0, begin);
                   mine.c = gemm.c + begin;
                   mine.bias = gemm.bias ? gemm.bias + begin : nullptr;
                 }
                 code_.gemm(mine, scratch_.real() + part * kScratch);
               });
}

}  // namespace lockstep::kernels::onednn
