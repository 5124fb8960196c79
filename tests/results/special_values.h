#pragma once

#include <limits>

namespace lockstep::stats {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace lockstep::stats
