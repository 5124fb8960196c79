// Rounding to 16 bits: to the nearest number, of two the even one.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "reference_trainer/kernels/sixteen_bits.h"
#include "reference_trainer/kernels/vector/vector_code.h"

namespace lockstep::kernels::baseline {
VectorCode table();
}

namespace lockstep::kernels {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double bf16(double x) { return from_16_bits<double>(to_16_bits(x, kBf16), kBf16); }
double fp16(double x) { return from_16_bits<double>(to_16_bits(x, kFp16), kFp16); }

TEST(ToSixteenBits, TakesTheNearestAndOfTwoTheEvenOne) {
  EXPECT_EQ(bf16(1 + 0x1p-8), 1) << "halfway between 1 and 1 + 2^-7";
  EXPECT_EQ(bf16(1 + 0x3p-8), 1 + 0x1p-6) << "halfway, and the even one is above";
  EXPECT_EQ(bf16(1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7) << "a little more than half; by way of fp32 it would be a tie";
  EXPECT_EQ(bf16(-1 - 0x3p-8), -1 - 0x1p-6);
  EXPECT_EQ(fp16(1 + 0x1p-11), 1);
  EXPECT_EQ(fp16(1 + 0x3p-11), 1 + 0x1p-9);
  EXPECT_EQ(fp16(2 - 0x1p-12), 2) << "a carry into the exponent";
}

TEST(ToSixteenBits, SmallNumbersHaveFewerBitsAndThenNone) {
  EXPECT_EQ(fp16(0x1p-24), 0x1p-24) << "the least one";
  EXPECT_EQ(fp16(0x1p-25), 0) << "halfway to it";
  EXPECT_EQ(fp16(0x1.8p-24), 0x1p-23);
  EXPECT_EQ(fp16(0x1.001p-25), 0x1p-24);
  EXPECT_EQ(fp16(0x1.ff8p-15), 0x1.ff8p-15) << "just below the normal ones";
  EXPECT_EQ(bf16(0x1p-133), 0x1p-133);
  EXPECT_EQ(bf16(0x1p-134), 0);
  EXPECT_TRUE(std::signbit(fp16(-1e-30)));
}

TEST(ToSixteenBits, LargeNumbersBecomeInfiniteAndNanStaysNan) {
  EXPECT_EQ(fp16(65504), 65504);
  EXPECT_EQ(fp16(65519.99), 65504);
  EXPECT_EQ(fp16(65520), kInfinite) << "halfway to what would be the next";
  EXPECT_EQ(fp16(-1e9), -kInfinite);
  EXPECT_EQ(fp16(kInfinite), kInfinite);
  EXPECT_EQ(bf16(0x1.fep127), 0x1.fep127);
  EXPECT_EQ(bf16(0x1.ffp127), kInfinite);
  EXPECT_EQ(bf16(1e300), kInfinite);
  for (const SixteenBits& format : {kBf16, kFp16})
    EXPECT_TRUE(std::isnan(from_16_bits<double>(to_16_bits(std::nan(""), format), format)));
}

/// Every 16-bit pattern comes back from the number that it stands for.
TEST(ToSixteenBits, KeepsWhatHasSixteenBits) {
  for (const SixteenBits& format : {kBf16, kFp16}) {
    for (int bits = 0; bits < 65536; ++bits) {
      const auto pattern = static_cast<uint16_t>(bits);
      const float x = from_16_bits<float>(pattern, format);
      if (!std::isnan(x)) {
        EXPECT_EQ(to_16_bits(x, format), pattern);
      }
    }
  }
}

/// Of all fp32 numbers a sample, with those around the borders at which rounding changes its mind.
std::vector<float> sample() {
  std::vector<float> values;
  for (uint64_t bits = 0; bits < (1ULL << 32); bits += 4093)
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (uint32_t high = 0; high < 65536; ++high) {
    for (const uint32_t low : {0x0000U, 0x0fffU, 0x1000U, 0x1001U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU})
      values.push_back(std::bit_cast<float>(high << 16 | low));
  }
  return values;
}

void expect_oracle(const CastCode& code) {
  const std::vector<float> values = sample();
  const auto n = static_cast<int64_t>(values.size());
  std::vector<uint16_t> rounded(values.size());
  std::vector<float> back(values.size());
  const auto compare = [&](auto to, auto from, const SixteenBits& format) {
    to(rounded.data(), values.data(), n);
    from(back.data(), rounded.data(), n);
    int64_t wrong = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const uint16_t expected = to_16_bits(values[i], format);
      const bool nan = std::isnan(values[i]);
      const bool same =
          nan ? std::isnan(from_16_bits<float>(rounded[i], format)) && std::isnan(back[i])
              : rounded[i] == expected &&
                    std::bit_cast<uint32_t>(back[i]) == std::bit_cast<uint32_t>(from_16_bits<float>(expected, format));
      if (!same && ++wrong < 5) ADD_FAILURE() << values[i] << " became " << rounded[i] << ", not " << expected;
    }
    EXPECT_EQ(wrong, 0);
  };
  compare(code.to_bf16, code.from_bf16, kBf16);
  compare(code.to_fp16, code.from_fp16, kFp16);
}

TEST(VectorCasts, AgreeWithTheOracleOnEachInstructionSet) {
  expect_oracle(baseline::table().cast);
  expect_oracle(vector_code().cast);
}

}  // namespace
}  // namespace lockstep::kernels
