#pragma once

#include <span>
#include <vector>

namespace lockstep::stats {

/// q-values of a family of p-values (Benjamini and Hochberg 1995), in the order given: declaring all with q <= x keeps
/// the expected share of false ones at or under x. A NaN (a comparison that was refused) counts as p = 1.
std::vector<double> benjamini_hochberg(std::span<const double> p);

}  // namespace lockstep::stats
