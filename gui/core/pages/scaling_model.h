#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace lockstep::gui {

/// Amdahl's law (Amdahl 1967) for a problem of fixed size: a share `serial` of the work does not get faster.
double amdahl_speedup(double serial, double ranks);

/// The share that fits measured speed-ups best: least squares of 1/S = f + (1 - f)/p over (ranks p > 1, S). With one of
/// them it is the serial fraction of Karp and Flatt (1990). Nothing without any, or where ranks gain more than their
/// number, of which the law has no model.
std::optional<double> amdahl_fraction(const std::vector<std::pair<int64_t, double>>& speedups);

}  // namespace lockstep::gui
