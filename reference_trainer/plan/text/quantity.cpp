#include "reference_trainer/plan/text/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "adapters/contract/nearest.h"
#include "reference_trainer/plan/text/scanner.h"

namespace lockstep::text {
namespace {

struct Unit {
  std::string_view symbol;
  Dimension dimension;
  int64_t scale;        ///< base units in one
  bool printed = true;  ///< false: read only
};

constexpr int64_t kKi = 1024;
constexpr std::array kUnits = {
    Unit{"B", Dimension::size, 1},
    Unit{"kB", Dimension::size, 1'000},
    Unit{"MB", Dimension::size, 1'000'000},
    Unit{"GB", Dimension::size, 1'000'000'000},
    Unit{"TB", Dimension::size, 1'000'000'000'000},
    Unit{"KiB", Dimension::size, kKi},
    Unit{"MiB", Dimension::size, kKi* kKi},
    Unit{"GiB", Dimension::size, kKi* kKi* kKi},
    Unit{"TiB", Dimension::size, kKi* kKi* kKi* kKi},
    Unit{"ns", Dimension::time, 1},
    Unit{"us", Dimension::time, 1'000},
    Unit{"ms", Dimension::time, 1'000'000},
    Unit{"s", Dimension::time, 1'000'000'000},
    Unit{"min", Dimension::time, 60'000'000'000},
    Unit{"h", Dimension::time, 3'600'000'000'000},
    Unit{"b/s", Dimension::rate, 1},
    Unit{"kb/s", Dimension::rate, 1'000},
    Unit{"Mb/s", Dimension::rate, 1'000'000},
    Unit{"Gb/s", Dimension::rate, 1'000'000'000},
    Unit{"Tb/s", Dimension::rate, 1'000'000'000'000},
    Unit{"B/s", Dimension::rate, 8, false},
    Unit{"kB/s", Dimension::rate, 8'000, false},
    Unit{"MB/s", Dimension::rate, 8'000'000, false},
    Unit{"GB/s", Dimension::rate, 8'000'000'000, false},
    Unit{"%", Dimension::ratio, 10'000},
};

std::string_view noun(Dimension dimension) {
  constexpr std::array<std::string_view, 4> kNouns = {"size", "time", "rate", "share"};
  return kNouns[static_cast<size_t>(dimension)];
}

std::string_view base_unit(Dimension dimension) {
  constexpr std::array<std::string_view, 4> kBase = {"byte", "nanosecond", "bit per second", "0.0001 %"};
  return kBase[static_cast<size_t>(dimension)];
}

std::vector<std::string_view> symbols(std::optional<Dimension> dimension) {
  std::vector<std::string_view> out;
  for (const Unit& unit : kUnits) {
    if (!dimension || unit.dimension == *dimension) out.push_back(unit.symbol);
  }
  return out;
}

__extension__ using Wide = __int128;

/// A decimal number without a sign, exactly: mantissa / 10^decimals.
struct Decimal {
  Wide mantissa = 0;
  int decimals = 0;
};

Decimal scan_decimal(Scanner& in) {
  constexpr size_t kMostDigits = 24;  // with the largest unit still within 127 bits
  const size_t begin = in.position();
  std::string digits(in.take_digits());
  if (digits.empty()) in.fail("expected a number without a sign");
  Decimal out;
  if (in.take('.')) {
    const std::string_view decimals = in.take_digits();
    if (decimals.empty()) in.fail(in.position(), "expected a digit after the point", 0, "0");
    digits += decimals;
    out.decimals = static_cast<int>(decimals.size());
  }
  if (digits.size() > kMostDigits) {
    in.fail(begin, fmt::format("expected at most {} digits", kMostDigits), in.position() - begin,
            digits.substr(0, out.decimals > 0 ? 1 : kMostDigits));
  }
  for (char digit : digits) out.mantissa = out.mantissa * 10 + (digit - '0');
  return out;
}

/// "25mb" means MB and "25M" too: the same letters, then the same beginning, then the least edit distance.
std::string nearest_unit(std::string_view symbol, const std::vector<std::string_view>& legal) {
  const std::string wanted = lower_case(symbol);
  for (std::string_view unit : legal) {
    if (lower_case(unit) == wanted) return std::string(unit);
  }
  for (std::string_view unit : legal) {
    if (lower_case(unit).starts_with(wanted)) return std::string(unit);
  }
  return nearest(symbol, legal);
}

const Unit& scan_unit(Scanner& in, std::optional<Dimension> expected) {
  const size_t begin = in.position();
  const bool blank = in.take(' ');
  const std::string_view symbol = in.take_run("%/");
  for (const Unit& unit : kUnits) {
    if (!blank && unit.symbol == symbol && (!expected || unit.dimension == *expected)) return unit;
  }
  const std::vector<std::string_view> legal = symbols(expected);
  const std::string rule = expected ? fmt::format("expected a unit of {} ({})", noun(*expected), fmt::join(legal, ", "))
                                    : "expected a unit such as MB, MiB, us, Gb/s or %";
  in.fail(begin, rule, in.position() - begin, nearest_unit(symbol, legal));
}

Quantity scan_quantity(Scanner& in, std::optional<Dimension> expected) {
  const size_t begin = in.position();
  const Decimal number = scan_decimal(in);
  const Unit& unit = scan_unit(in, expected);
  in.expect_end("");
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const std::string smallest = fmt::format("of the smallest unit, one {}", base_unit(unit.dimension));
  const auto fail = [&](std::string rule, Wide better) {
    const Quantity quantity{unit.dimension, static_cast<int64_t>(std::min<Wide>(better, kMost))};
    in.fail(begin, std::move(rule), in.position() - begin, print(quantity));
  };
  Wide value = number.mantissa * unit.scale, divisor = 1;
  for (int i = 0; i < number.decimals; ++i) divisor *= 10;
  if (value % divisor != 0) fail("expected a whole number " + smallest, value / divisor + 1);
  value /= divisor;
  if (value > kMost) fail("expected at most 2^63 - 1 " + smallest, kMost);
  return {unit.dimension, static_cast<int64_t>(value)};
}

Quantity parse(std::string_view text, std::optional<Dimension> expected) {
  constexpr std::array<std::string_view, 4> kExamples = {"25MB", "50us", "10Gb/s", "2%"};
  Quantity out;
  parse_or_refuse(expected ? noun(*expected) : "quantity", text,
                  kExamples[expected ? static_cast<size_t>(*expected) : 0], [&](Scanner& in) {
                    out = scan_quantity(in, expected);
                    return print(out);
                  });
  return out;
}

std::string print_percent(int64_t millionths) {
  const Unit& percent = kUnits.back();
  std::string out = fmt::format("{}.{:04}", millionths / percent.scale, millionths % percent.scale);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out + "%";
}

}  // namespace

Quantity parse_quantity(std::string_view text) { return parse(text, std::nullopt); }
Quantity parse_quantity(std::string_view text, Dimension expected) { return parse(text, expected); }

std::string print(const Quantity& quantity) {
  if (quantity.dimension == Dimension::ratio) return print_percent(quantity.value);
  std::string best;
  for (const Unit& unit : kUnits) {
    if (unit.dimension != quantity.dimension || !unit.printed || quantity.value % unit.scale != 0) continue;
    std::string text = fmt::format("{}{}", quantity.value / unit.scale, unit.symbol);
    if (best.empty() || text.size() < best.size()) best = std::move(text);
  }
  return best;
}

int64_t parse_bytes(std::string_view text) { return parse(text, Dimension::size).value; }
int64_t parse_nanoseconds(std::string_view text) { return parse(text, Dimension::time).value; }
int64_t parse_bits_per_second(std::string_view text) { return parse(text, Dimension::rate).value; }
double parse_fraction(std::string_view text) { return static_cast<double>(parse(text, Dimension::ratio).value) / 1e6; }

std::string print_bytes(int64_t bytes) { return print(Quantity{Dimension::size, bytes}); }

}  // namespace lockstep::text
