#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace lockstep::stats::testing {

/// Seeded noise of the shapes that launch times have; the same on every machine.
class Noise {
 public:
  explicit Noise(uint64_t seed) : random_(seed) {}

  double uniform() { return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53; }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * M_PI * uniform()); }
  double skewed() { return -std::log(uniform()) - 1; }
  double student3() {
    double squares = 0;
    for (int i = 0; i < 3; ++i) squares += std::pow(normal(), 2);
    return normal() / std::sqrt(squares / 3);
  }
  double bimodal() { return 0.3 * normal() + (uniform() < 0.5 ? -1 : 1); }

 private:
  std::mt19937_64 random_;
};

using Shape = double (Noise::*)();

struct NamedShape {
  const char* name;
  Shape draw;
};

inline constexpr NamedShape kShapes[] = {{"normal", &Noise::normal},
                                         {"skewed", &Noise::skewed},
                                         {"student3", &Noise::student3},
                                         {"bimodal", &Noise::bimodal}};

/// n step times around 10 ms with 1 % of this noise.
inline std::vector<double> launches(Noise& noise, Shape draw, int n, double factor = 1) {
  std::vector<double> out;
  for (int i = 0; i < n; ++i) out.push_back(0.010 * factor * std::exp(0.01 * (noise.*draw)()));
  return out;
}

}  // namespace lockstep::stats::testing
