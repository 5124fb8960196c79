#include "reference_trainer/graph/ops/window.h"

#include <fmt/format.h>

namespace lockstep::graph::ops {
namespace {

std::vector<int64_t> numbers(const OpSpec& spec, const char* key, int64_t otherwise) {
  const auto found = spec.lists.find(key);
  return found == spec.lists.end() ? std::vector<int64_t>{otherwise} : found->second;
}

}  // namespace

Attributes window_of(const Builder& builder, const OpSpec& spec, bool stride_is_kernel) {
  Attributes attr;
  const auto kernel = numbers(spec, "kernel", 0);
  if (kernel.empty() || kernel.size() > 2 || kernel[0] < 1 || kernel.back() < 1) {
    builder.refuse(spec, "\"kernel\" must be one size or [height, width], each at least 1");
  }
  attr.kernel_h = kernel[0], attr.kernel_w = kernel.back();
  const auto stride = numbers(spec, "stride", stride_is_kernel ? attr.kernel_h : 1);
  if (stride.empty() || stride.size() > 2 || stride[0] < 1 || stride.back() < 1) {
    builder.refuse(spec, "\"stride\" must be one step or [height, width], each at least 1");
  }
  attr.stride_h = stride[0], attr.stride_w = stride.back();
  const auto pad = numbers(spec, "pad", 0);
  if (pad.size() != 1 && pad.size() != 2 && pad.size() != 4) {
    builder.refuse(spec, "\"pad\" must be one number, [height, width] or [top, bottom, left, right]");
  }
  for (int64_t p : pad) {
    if (p < 0) builder.refuse(spec, "\"pad\" must not be negative");
  }
  attr.pad_top = pad[0], attr.pad_bottom = pad.size() == 4 ? pad[1] : pad[0];
  attr.pad_left = pad.size() == 4 ? pad[2] : pad.back(), attr.pad_right = pad.back();
  return attr;
}

Shape windowed(const Builder& builder, const OpSpec& spec, const Attributes& attr, const Shape& in, Extent channels) {
  if (in.size() != 4) builder.refuse(spec, "its input must be [batch, channels, height, width], it is " + describe(in));
  const int64_t height = in[2].size + attr.pad_top + attr.pad_bottom,
                width = in[3].size + attr.pad_left + attr.pad_right;
  if (height < attr.kernel_h || width < attr.kernel_w) {
    builder.refuse(spec, fmt::format("its window {}x{} does not fit into the padded plane {}x{}", attr.kernel_h,
                                     attr.kernel_w, height, width));
  }
  return {in[0],
          channels,
          {Dim::height, (height - attr.kernel_h) / attr.stride_h + 1},
          {Dim::width, (width - attr.kernel_w) / attr.stride_w + 1}};
}

}  // namespace lockstep::graph::ops
