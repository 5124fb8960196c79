#include "reference_trainer/comm/combine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace lockstep::comm {
namespace {

template <typename T>
class CombineTest : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CombineTest, Types);

TYPED_TEST(CombineTest, EveryCountOfEveryKind) {
  using T = TypeParam;
  for (size_t n = 0; n < 40; ++n) {
    std::vector<T> a(n);
    std::vector<T> b(n);
    for (size_t i = 0; i < n; ++i) a[i] = static_cast<T>(i), b[i] = static_cast<T>((i * 5) % 17);
    for (const Combine how : {Combine::replace, Combine::sum, Combine::max}) {
      std::vector<T> wanted(n);
      for (size_t i = 0; i < n; ++i) {
        wanted[i] = how == Combine::replace ? b[i] : how == Combine::sum ? a[i] + b[i] : std::max(a[i], b[i]);
      }
      std::vector<T> target = a;
      combine(how, std::span(target), reinterpret_cast<const std::byte*>(b.data()));
      EXPECT_EQ(target, wanted);
      if (how == Combine::replace) continue;
      std::vector<T> left = a;
      std::vector<T> right = b;
      combine_both(how, std::span(left), reinterpret_cast<std::byte*>(right.data()));
      EXPECT_EQ(left, wanted);
      EXPECT_EQ(right, wanted);
    }
  }
}

TYPED_TEST(CombineTest, NaNWinsOnEitherSide) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> a = {nan, 1, nan};
  const std::vector<T> b = {1, nan, nan};
  combine(Combine::max, std::span(a), reinterpret_cast<const std::byte*>(b.data()));
  for (const T value : a) EXPECT_TRUE(std::isnan(value));
}

}  // namespace
}  // namespace lockstep::comm
