#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lockstep::workloads {

/// Fills a parameter with its initial values. Element i depends only on (seed, name, i).
/// kind: "normal" N(0, scale^2), "uniform" U(-scale, scale), "zeros", "ones"; refuses others.
void fill_initial(std::string_view kind, double scale, uint64_t seed, std::string_view parameter,
                  std::span<float> values);

}  // namespace lockstep::workloads
