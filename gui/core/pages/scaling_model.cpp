#include "gui/core/pages/scaling_model.h"

namespace lockstep::gui {

double amdahl_speedup(double serial, double ranks) { return 1 / (serial + (1 - serial) / ranks); }

std::optional<double> amdahl_fraction(const std::vector<std::pair<int64_t, double>>& speedups) {
  double above = 0, below = 0;  // of the least-squares slope: (1/S - 1/p) = f (1 - 1/p)
  for (const auto& [ranks, speedup] : speedups) {
    const double share = 1 / static_cast<double>(ranks);
    above += (1 / speedup - share) * (1 - share);
    below += (1 - share) * (1 - share);
  }
  if (below == 0 || above < 0) return std::nullopt;
  return above / below;
}

}  // namespace lockstep::gui
