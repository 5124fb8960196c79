#include <cstring>

#include "reference_trainer/kernels/onednn/ops.h"
#include "reference_trainer/kernels/onednn/parallel.h"

namespace lockstep::kernels::onednn {
namespace {

/// Both directions: for each row of each square of each image, copy(where it lies in the image, in the sequence, n).
template <class Copy>
void for_each_patch_row(const Operand& image, int64_t side, int64_t first, int64_t last, const Copy& copy) {
  const int64_t channels = image.dims[1], height = image.dims[2], width = image.dims[3];
  const int64_t down = height / side, across = width / side;
  for (int64_t n = first; n < last; ++n)
    for (int64_t row = 0; row < down; ++row)
      for (int64_t column = 0; column < across; ++column)
        for (int64_t c = 0; c < channels; ++c)
          for (int64_t i = 0; i < side; ++i) {
            const int64_t patch = (n * down + row) * across + column;
            copy(((n * channels + c) * height + row * side + i) * width + column * side,
                 ((patch * channels + c) * side + i) * side, static_cast<size_t>(side) * sizeof(float));
          }
}

}  // namespace

void patches(Compiler& c, const graph::Op& op) {
  const Operand image = c.operand(op.in[0]);
  const Slot x = c.in(op.in[0]), y = c.out(op.out[0]);
  c.add([=, side = op.attr.kernel_h, threads = c.threads()](const StepContext&) {
    parallel_for(threads, image.dims[0], 1, [&](int64_t begin, int64_t end, int) {
      for_each_patch_row(image, side, begin, end, [&](int64_t at, int64_t to, size_t bytes) {
        std::memcpy(y.real() + to, x.real() + at, bytes);
      });
    });
  });
}

void patches_grad(Compiler& c, const graph::Op& op) {
  const Operand image = c.operand(op.out[0]);
  const Slot dy = c.in(op.in[0]), dx = c.out(op.out[0]);
  c.add([=, side = op.attr.kernel_h, threads = c.threads()](const StepContext&) {
    parallel_for(threads, image.dims[0], 1, [&](int64_t begin, int64_t end, int) {
      for_each_patch_row(image, side, begin, end, [&](int64_t to, int64_t at, size_t bytes) {
        std::memcpy(dx.real() + to, dy.real() + at, bytes);
      });
    });
  });
}

void class_token(Compiler& c, const graph::Op& op) {
  const Operand x = c.operand(op.in[0]);
  const int64_t width = width_of(x), rest = x.dims[1] * width;
  const Slot from = c.in(op.in[0]), token = c.in(op.in[1]), y = c.out(op.out[0]);
  c.add([=, samples = x.dims[0]](const StepContext&) {
    for (int64_t n = 0; n < samples; ++n) {
      float* to = y.real() + n * (width + rest);
      std::memcpy(to, token.real(), static_cast<size_t>(width) * sizeof(float));
      std::memcpy(to + width, from.real() + n * rest, static_cast<size_t>(rest) * sizeof(float));
    }
  });
}

void class_token_grad(Compiler& c, const graph::Op& op) {
  const Operand shape = c.operand(op.in[0]);
  const int64_t width = width_of(shape), all = shape.dims[1] * width;
  const Slot dy = c.in(op.in[0]), dtoken = c.out(op.out[0]);
  c.add([=, samples = shape.dims[0], code = c.code().update32](const StepContext&) {
    std::memset(dtoken.real(), 0, static_cast<size_t>(width) * sizeof(float));
    for (int64_t n = 0; n < samples; ++n) code.accumulate(dtoken.real(), dy.real() + n * all, width);
  });
}

}  // namespace lockstep::kernels::onednn
