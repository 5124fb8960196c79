#pragma once

#include "workloads/data/readers.h"

namespace lockstep::workloads {

/// The first `records` images of `images` [channels, height, width] in another `shape` [channels, height, width]:
/// bilinear between the centres of pixels, in whole numbers, so that every machine gets the same bytes; a single
/// channel is repeated. The reader's images have one channel or as many as `shape`.
RawArray resized(const RawArray& images, const std::vector<int64_t>& shape, int64_t records);

}  // namespace lockstep::workloads
