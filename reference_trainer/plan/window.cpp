#include "reference_trainer/plan/window.h"

#include <algorithm>

namespace lockstep::plan {

Window window_of(const graph::Attributes& attr, graph::Dim dim) {
  if (dim == graph::Dim::height) return {attr.kernel_h, attr.stride_h, attr.pad_top};
  return {attr.kernel_w, attr.stride_w, attr.pad_left};
}

Needed needed(const Window& window, const graph::Interval& outputs, int64_t size) {
  const int64_t begin = outputs.begin * window.stride - window.pad;
  const int64_t end = (outputs.end - 1) * window.stride - window.pad + window.kernel;
  return {{std::clamp<int64_t>(begin, 0, size), std::clamp<int64_t>(end, 0, size)},
          std::max<int64_t>(0, -begin),
          std::max<int64_t>(0, end - size)};
}

void set_padding(graph::Attributes& attr, graph::Dim dim, const Needed& part) {
  if (dim == graph::Dim::height) {
    attr.pad_top = part.before, attr.pad_bottom = part.after;
  } else {
    attr.pad_left = part.before, attr.pad_right = part.after;
  }
}

}  // namespace lockstep::plan
