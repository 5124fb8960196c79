#pragma once

#include <cmath>

#include "reference_trainer/graph/builder.h"

namespace lockstep::graph::ops {

/// How the weight of a product over `fan_in` numbers begins: as the entry's "init" says, where {"kind": "he"} is normal
/// with variance 2 / fan_in (He et al. 2015, for networks of rectifiers); else uniform within 1 / sqrt(fan_in).
inline Init weight_init(const OpSpec& spec, int64_t fan_in) {
  const auto inputs = static_cast<double>(fan_in);
  if (!spec.init) return {"uniform", 1 / std::sqrt(inputs)};
  return spec.init->kind == "he" ? Init{"normal", std::sqrt(2 / inputs)} : *spec.init;
}

}  // namespace lockstep::graph::ops
