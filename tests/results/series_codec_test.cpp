#include "results/store/series_codec.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>

#include "tests/results/store_records.h"

namespace lockstep::store {
namespace {

using Doubles = std::vector<double>;
using Integers = std::vector<int64_t>;
constexpr int64_t kMin = std::numeric_limits<int64_t>::min(), kMax = std::numeric_limits<int64_t>::max();

void expect_round_trip(const SeriesValues& values, const std::string& encoding) {
  const EncodedSeries encoded = encode_series(values);
  EXPECT_EQ(encoded.encoding, encoding);
  const SeriesValues back = decode_series(encoded);
  ASSERT_EQ(back.index(), values.index());
  if (const auto* integers = std::get_if<Integers>(&values)) {
    EXPECT_EQ(std::get<Integers>(back), *integers);
  } else {
    const auto& a = std::get<Doubles>(values);
    const auto& b = std::get<Doubles>(back);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(std::bit_cast<uint64_t>(a[i]), std::bit_cast<uint64_t>(b[i]));
  }
}

TEST(SeriesCodec, EveryEncodingGivesTheSameBitsBack) {
  expect_round_trip(Doubles{}, "f64");
  expect_round_trip(Doubles{1.5}, "f64");
  expect_round_trip(Doubles{1.5, 1.5, 1.5}, "f64_const");
  expect_round_trip(Doubles{0.0, -0.0}, "f64");
  const double nan = std::bit_cast<double>(uint64_t{0x7FF8'0000'0000'1234});
  expect_round_trip(Doubles{nan, nan}, "f64_const");
  expect_round_trip(Doubles{nan, std::numeric_limits<double>::infinity(), 5e-324}, "f64");
  expect_round_trip(Integers{}, "i64");
  expect_round_trip(Integers{7}, "i64");
  expect_round_trip(Integers{7, 7, 7, 7}, "i64_const");
  expect_round_trip(Integers{1'000'000'000'000, 1'000'003'000'000, 1'000'005'900'000}, "i64_delta");
  expect_round_trip(Integers{10, 5, -100, 64, 63, -64, -65}, "i64_delta");
  expect_round_trip(Integers{0, kMin, 0, kMin}, "i64");  // differences of ten bytes each
  expect_round_trip(Integers{kMin, kMax, kMin, 0, kMax}, "i64_delta");
  expect_round_trip(Integers{0, kMin, kMin + 1, kMax, kMax, kMax, kMax, kMax, kMax, kMax, kMax, kMax}, "i64_delta");
}

// What keeps 10,000 launches of 1,000 steps on 4 ranks under 1 GB: 25 bytes a step and rank.
TEST(SeriesCodec, StepTimesTakeFewBytes) {
  Integers begins;
  for (int64_t i = 0; i < 1000; ++i) begins.push_back(5'000'000'000 + i * 10'000'000 + i * i * 7919 % 100'000);
  EXPECT_LT(encode_series(begins).data.size(), 4100u);
  EXPECT_EQ(encode_series(Integers(1000, 128)).data.size(), 8u);
}

TEST(SeriesCodec, DamageIsRefused) {
  using testing::failure_of;
  EncodedSeries delta = encode_series(Integers{1, 2, 300});
  EncodedSeries cut = delta;
  cut.data.back() |= 0x80;
  EXPECT_NE(failure_of([&] { decode_series(cut); }).find("cut off"), std::string::npos);
  delta.count = 4;
  EXPECT_NE(failure_of([&] { decode_series(delta); }).find("wrong number of values"), std::string::npos);
  EXPECT_NE(failure_of([] { decode_series({"f64", 2, {1, 2, 3}}); }).find("wrong length"), std::string::npos);
  EXPECT_NE(failure_of([] { decode_series({"f64_const", 0, {}}); }).find("needs a count"), std::string::npos);
  EXPECT_NE(failure_of([] { decode_series({"zip", 0, {}}); }).find("unknown encoding"), std::string::npos);
  EXPECT_NE(failure_of([] { decode_series({"i64_delta", 2, {1}}); }).find("too short"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::store
