#pragma once

#include "reference_trainer/comm/buffer.h"
#include "reference_trainer/comm/transport.h"

namespace lockstep::comm {

constexpr Combine combine_of(Reduce reduce) { return reduce == Reduce::sum ? Combine::sum : Combine::max; }

/// target[i] = source[i], target[i] + source[i], or the larger one (a NaN on either side wins). The source has the
/// target's count and element and does not overlap it.
void combine(Combine, Buffer target, const std::byte* source);

/// a[i] = b[i] = combination of a[i] and b[i], in one pass. Not for Combine::replace.
void combine_both(Combine, Buffer a, std::byte* b);

}  // namespace lockstep::comm
