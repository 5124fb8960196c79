#pragma once

#include "workloads/data/readers.h"

namespace lockstep::workloads {

/// The text of `bytes` for a masked language model (Devlin et al. 2019): of each `window` bytes `places` are to be
/// guessed. Of those 8 in 10 become 0, which no text has, 1 in 10 another byte of the text, 1 in 10 stay. Arrays, all
/// of bytes: "masked" the text, "segments" 0 in the first half of a window and 1 in the second, "places" within their
/// window in order, "originals" the bytes there. `part` keys the draws. Failure("unsupported") above 256 bytes a
/// window: places are bytes.
std::vector<RawArray> masked(const RawArray& bytes, int64_t window, int64_t places, const std::string& part);

}  // namespace lockstep::workloads
