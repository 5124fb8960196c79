#pragma once

#include <string>
#include <string_view>

#include "reference_trainer/plan/text/term.h"

namespace lockstep::text {

/// name[:argument{,argument}], e.g. threads, or virtual:alpha=50us,bandwidth=10Gb/s,straggler=lognormal,sigma=0.3.
/// Keys stand in the order alpha, bandwidth, straggler, sigma, then by name.
using FabricText = Term;

FabricText parse_fabric(std::string_view text);

}  // namespace lockstep::text
