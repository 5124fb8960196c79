#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace lockstep::workloads {

using PhiloxBlock = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

/// Philox4x32-10: four random words as a pure function of a 128-bit counter and a 64-bit key (Salmon, Moraes, Dror,
/// Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011).
constexpr PhiloxBlock philox4x32(PhiloxBlock counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * counter[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
  return counter;
}

/// XXH3 (64 bits) of a name: the upper half of a named stream's counter.
uint64_t name_hash(std::string_view name, uint64_t variant);

/// A named, unlimited, randomly accessible stream: draw `index` depends only on (seed, name, variant, index), so it is
/// the same on every rank and for every way to split the work. Key = seed; counter = (index, hash of name and variant).
/// `variant` tells apart streams of one name, for instance the steps of a dropout op.
class Draws {
 public:
  Draws(uint64_t seed, std::string_view name, uint64_t variant = 0)
      : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}, stream_(name_hash(name, variant)) {}

  PhiloxBlock block(uint64_t index) const {
    return philox4x32({static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32), static_cast<uint32_t>(stream_),
                       static_cast<uint32_t>(stream_ >> 32)},
                      key_);
  }

  /// 64 random bits.
  uint64_t bits(uint64_t index) const {
    const PhiloxBlock words = block(index);
    return words[0] | uint64_t{words[1]} << 32;
  }

  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform01(uint64_t index) const { return unit(bits(index)); }

  /// Standard normal (Box and Muller 1958, the cosine branch). The result is as portable as the C library's log and
  /// cos in double; rounded to float, libraries that differ in the last bit nearly always agree.
  double normal(uint64_t index) const {
    const PhiloxBlock words = block(index);
    const double radius = 1.0 - unit(words[0] | uint64_t{words[1]} << 32);  // in (0, 1]: its log is finite
    const double angle = unit(words[2] | uint64_t{words[3]} << 32);
    return std::sqrt(-2.0 * std::log(radius)) * std::cos(2.0 * std::numbers::pi * angle);
  }

  /// Uniform in [0, bound), by multiplication (Lemire 2019) without rejection: the bias is below bound / 2^64.
  uint64_t bounded(uint64_t index, uint64_t bound) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>(static_cast<Wide>(bits(index)) * bound >> 64);
  }

 private:
  static double unit(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

  PhiloxKey key_;
  uint64_t stream_;
};

}  // namespace lockstep::workloads
