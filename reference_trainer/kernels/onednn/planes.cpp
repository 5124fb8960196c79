#include "reference_trainer/kernels/onednn/planes.h"

namespace lockstep::kernels::onednn {
namespace {

using Tag = dnnl::memory::format_tag;

Format tagged(const dnnl::memory::dims& dims, int64_t block) {
  return {dims, dnnl::memory::data_type::f32, block == 8 ? Tag::nChw8c : block == 16 ? Tag::nChw16c : Tag::nchw};
}

}  // namespace

int64_t channel_block(const Format& format) {
  for (const int64_t block : {1, 8, 16}) {
    if (format == tagged(format.dims(), block)) return block;
  }
  return 0;
}

Format blocked(const Operand& x, int64_t block) { return tagged({x.dims.begin(), x.dims.end()}, block); }

PlaneWindow window_of(const graph::Attributes& a, const Operand& x, const Operand& y) {
  return {.h = x.dims[2],
          .w = x.dims[3],
          .p = y.dims[2],
          .q = y.dims[3],
          .kernel_h = a.kernel_h,
          .kernel_w = a.kernel_w,
          .stride_h = a.stride_h,
          .stride_w = a.stride_w,
          .pad_top = a.pad_top,
          .pad_left = a.pad_left};
}

}  // namespace lockstep::kernels::onednn
