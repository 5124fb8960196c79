#include "reference_trainer/kernels/update.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reference_trainer/kernels/vector/vector_code.h"

namespace lockstep::kernels {
namespace {

template <class T>
class Update : public ::testing::Test {
 protected:
  /// Numbers with short binary fractions: sums and products of a few are exact.
  static std::vector<T> numbers(int64_t n, int from) {
    std::vector<T> v;
    for (int64_t i = 0; i < n; ++i) v.push_back(T((i * 37 + from) % 64 - 32) / 8);
    return v;
  }
  static constexpr double kTolerance = sizeof(T) == 4 ? 1e-6 : 1e-15;
};

using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Update, Types);

TYPED_TEST(Update, SgdIsExactOnShortFractions) {
  for (const int64_t n : {0, 1, 7, 8, 9, 100}) {
    auto w = this->numbers(n, 1), g = this->numbers(n, 5), before = w;
    sgd(w.data(), g.data(), n, 0.5, 0.25, 2.0);
    for (size_t i = 0; i < w.size(); ++i) EXPECT_EQ(w[i], before[i] - 0.5 * (2 * g[i] + 0.25 * before[i]));
  }
}

TYPED_TEST(Update, MomentumAndNesterovFollowTorch) {
  for (const bool nesterov : {false, true}) {
    auto w = this->numbers(17, 1), g = this->numbers(17, 5), v = this->numbers(17, 9);
    const auto w0 = w, v0 = v;
    momentum(w.data(), g.data(), v.data(), 17, 0.5, 0.75, nesterov, 0.25, 1.0);
    for (size_t i = 0; i < w.size(); ++i) {
      const TypeParam d = g[i] + TypeParam(0.25) * w0[i], velocity = TypeParam(0.75) * v0[i] + d;
      EXPECT_EQ(v[i], velocity);
      EXPECT_EQ(w[i], w0[i] - TypeParam(0.5) * (nesterov ? d + TypeParam(0.75) * velocity : velocity));
    }
  }
}

TYPED_TEST(Update, AdamwFollowsItsDefinition) {
  auto w = this->numbers(19, 1), g = this->numbers(19, 5), m = this->numbers(19, 9), v = this->numbers(19, 3);
  for (auto& x : v) x = std::abs(x) + 1;
  const auto w0 = w, m0 = m, v0 = v;
  const double lr = 0.01, b1 = 0.9, b2 = 0.99, epsilon = 1e-8, decay = 0.1;
  adamw(w.data(), g.data(), m.data(), v.data(), 19, lr, b1, b2, epsilon, decay, 3, 0.5);
  for (size_t i = 0; i < w.size(); ++i) {
    const double d = 0.5 * g[i], mean = b1 * m0[i] + (1 - b1) * d, square = b2 * v0[i] + (1 - b2) * d * d;
    const double m_hat = mean / (1 - std::pow(b1, 3)), v_hat = square / (1 - std::pow(b2, 3));
    EXPECT_NEAR(w[i], w0[i] * (1 - lr * decay) - lr * m_hat / (std::sqrt(v_hat) + epsilon), 4 * this->kTolerance);
  }
}

TYPED_TEST(Update, ReductionsAndSums) {
  for (const int64_t n : {0, 1, 7, 8, 9, 1000}) {
    auto x = this->numbers(n, 2), y = this->numbers(n, 3);
    double sum = 0;
    for (const TypeParam v : x) sum += double(v) * double(v);
    EXPECT_EQ(sum_of_squares(x.data(), n), sum);  // exact: short fractions
    auto z = x;
    accumulate(z.data(), y.data(), n);
    scale(z.data(), n, 0.5);
    for (size_t i = 0; i < z.size(); ++i) EXPECT_EQ(z[i], (x[i] + y[i]) / 2);
  }
}

TYPED_TEST(Update, AnElementDoesNotDependOnWhereTheArrayIsCut) {
  constexpr int64_t kCount = 103;
  std::vector<TypeParam> g(kCount), whole(kCount), m(kCount), v(kCount);
  for (size_t i = 0; i < g.size(); ++i) g[i] = std::sin(TypeParam(i)), whole[i] = std::cos(TypeParam(i));
  auto cut = whole, m2 = m, v2 = v;
  adamw(whole.data(), g.data(), m.data(), v.data(), kCount, 1e-3, 0.9, 0.999, 1e-8, 0.1, 1, 0.3);
  for (int64_t from = 0; from < kCount; from += 13) {
    const int64_t n = std::min<int64_t>(13, kCount - from);
    adamw(cut.data() + from, g.data() + from, m2.data() + from, v2.data() + from, n, 1e-3, 0.9, 0.999, 1e-8, 0.1, 1,
          0.3);
  }
  EXPECT_EQ(whole, cut);
}

}  // namespace
}  // namespace lockstep::kernels
