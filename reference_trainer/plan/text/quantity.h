#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::text {

/// What a quantity measures. Values are whole numbers of the base unit, so that texts and values map one to one.
enum class Dimension : uint8_t {
  size,   ///< bytes: B kB MB GB TB (1000) and KiB MiB GiB TiB (1024)
  time,   ///< nanoseconds: ns us ms s min h
  rate,   ///< bits per second: b/s kb/s Mb/s Gb/s Tb/s, also read as B/s kB/s MB/s GB/s
  ratio,  ///< millionths: %
};

struct Quantity {
  Dimension dimension = Dimension::size;
  int64_t value = 0;  ///< in the base unit of the dimension; never negative
  bool operator==(const Quantity&) const = default;
};

/// Reads "25MB", "4MiB", "50us", "10Gb/s" or "2%". A bare number, an unknown unit, a fraction of the base unit and a
/// value beyond 2^63 - 1 base units throw Failure("usage"), naming the column and the nearest legal form.
Quantity parse_quantity(std::string_view text);
Quantity parse_quantity(std::string_view text, Dimension expected);

/// The shortest text of the value: 25000000 B is 25MB, 4194304 B is 4MiB. On a tie SI stands before IEC.
std::string print(const Quantity& quantity);

int64_t parse_bytes(std::string_view text);
int64_t parse_nanoseconds(std::string_view text);
int64_t parse_bits_per_second(std::string_view text);
/// "2%" is 0.02.
double parse_fraction(std::string_view text);

std::string print_bytes(int64_t bytes);

}  // namespace lockstep::text
