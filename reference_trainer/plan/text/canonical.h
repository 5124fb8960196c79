#pragma once

#include "reference_trainer/plan/text/strategy.h"

namespace lockstep::text {

/// One text for one strategy: see Strategy. Idempotent.
Strategy canonical(Strategy strategy);

}  // namespace lockstep::text
