#include "adapters/contract/proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>

namespace lockstep::contract {
namespace {

/// A regression of 3 weights and 1 bias on 6 samples, trained in full; faults are seeded into it.
struct Faults {
  double gradient_scale = 1;
  int dropped_sample = -1;
  double weight_decay = 0.01;
  double momentum = 0.9;
  bool adamw = false;
};

constexpr int kSamples = 6;
constexpr double kRate = 0.05;

double feature(int sample, int i) { return std::sin(1.0 + 3 * sample + i); }

WorkRecord train(const Faults& faults, int64_t steps = 100) {
  std::array<double, 4> w = {0.5, -0.3, 0.2, 0.1}, v{}, s{};
  const auto norms = [](const std::array<double, 4>& x) {
    return std::map<std::string, double>{{"w", std::hypot(x[0], x[1], x[2])}, {"b", std::abs(x[3])}};
  };
  WorkRecord record;
  record.fingerprints.push_back({0, norms(w), {}});
  for (int64_t step = 1; step <= steps; ++step) {
    std::array<double, 4> g{};
    double loss = 0;
    int count = 0;
    for (int i = 0; i < kSamples; ++i) {
      if (i == faults.dropped_sample) continue;
      const std::array<double, 4> x = {feature(i, 0), feature(i, 1), feature(i, 2), 1};
      double error = -std::cos(2.0 * i);
      for (int k = 0; k < 4; ++k) error += w[k] * x[k];
      loss += error * error / 2;
      for (int k = 0; k < 4; ++k) g[k] += error * x[k];
      ++count;
    }
    for (double& value : g) value *= faults.gradient_scale / count;
    record.losses.push_back(loss / count);
    for (int k = 0; k < 4; ++k) {
      if (faults.adamw) {
        v[k] = 0.9 * v[k] + 0.1 * g[k];
        s[k] = 0.999 * s[k] + 0.001 * g[k] * g[k];
        const double mean = v[k] / (1 - std::pow(0.9, step)), square = s[k] / (1 - std::pow(0.999, step));
        w[k] = w[k] * (1 - kRate * faults.weight_decay) - kRate * mean / (std::sqrt(square) + 1e-8);
      } else {
        v[k] = faults.momentum * v[k] + g[k] + faults.weight_decay * w[k];
        w[k] -= kRate * v[k];
      }
    }
    if (step <= 2) record.fingerprints.push_back({step, norms(w), norms(g)});
  }
  return record;
}

Proof prove(const Faults& reference, const Faults& candidate) {
  return compare_work(train(reference), train(candidate), tolerances("fp32", false), kRate);
}

TEST(Proof, HoldsForEqualWorkAndForRoundingOfSinglePrecision) {
  EXPECT_EQ(prove({}, {}).status, ProofStatus::kHeld);
  Faults rounded;
  rounded.gradient_scale = 1 + 1e-7;
  const Proof proof = prove({}, rounded);
  EXPECT_EQ(proof.status, ProofStatus::kHeld) << proof.reason;
  EXPECT_EQ(proof.differences.size(), 5u);
  for (const Difference& difference : proof.differences) EXPECT_LE(difference.relative, difference.limit);
}

struct Seeded {
  const char* name;
  Faults right, wrong;
  const char* found_in;
};

TEST(Proof, FailsForEachSeededFault) {
  const Seeded rows[] = {
      {"gradients x 1.01", {}, {.gradient_scale = 1.01}, "gradients at step 1"},
      {"gradients x 1.01, AdamW", {.adamw = true}, {.gradient_scale = 1.01, .adamw = true}, "gradients at step"},
      {"one sample dropped", {}, {.dropped_sample = 4}, "gradients at step"},
      {"weight decay", {}, {.weight_decay = 0.02}, "at step 2"},
      {"weight decay, AdamW", {.adamw = true}, {.weight_decay = 0.011, .adamw = true}, "parameters at step 2"},
      {"momentum", {}, {.momentum = 0.91}, "parameters at step 2"}};
  for (const Seeded& row : rows) {
    const Proof proof = prove(row.right, row.wrong);
    EXPECT_EQ(proof.status, ProofStatus::kFailed) << row.name;
    EXPECT_THAT(proof.reason, testing::HasSubstr(row.found_in)) << row.name;
  }
}

/// Where numbers are rounded to 16 bits limits are wider, and yet wrong gradients are found.
TEST(Proof, OfRoundedNumbersFindsWrongGradients) {
  const auto prove_rounded = [](const Faults& wrong) {
    return compare_work(train({}), train(wrong), tolerances("fp32", false, true), kRate).status;
  };
  EXPECT_EQ(prove_rounded({.gradient_scale = 1 + 1e-3}), ProofStatus::kHeld);
  EXPECT_EQ(prove_rounded({.gradient_scale = 1.01}), ProofStatus::kFailed);
  EXPECT_EQ(prove_rounded({.dropped_sample = 4}), ProofStatus::kFailed);
}

Proof after(const std::function<void(WorkRecord&)>& fault) {
  WorkRecord candidate = train({});
  fault(candidate);
  return compare_work(train({}), candidate, tolerances("fp32", false), kRate);
}

TEST(Proof, FailsForMissingAndNonFiniteParts) {
  EXPECT_EQ(after([](WorkRecord& r) { r.fingerprints.pop_back(); }).reason, "no fingerprint of step 2");
  EXPECT_EQ(after([](WorkRecord& r) { r.fingerprints[1].gradients.erase("b"); }).reason,
            "gradients at step 1: no norm of b");
  EXPECT_EQ(after([](WorkRecord& r) { r.fingerprints[2].parameters["c"] = 1; }).reason,
            "parameters at step 2: unknown tensor c");
  EXPECT_EQ(after([](WorkRecord& r) { r.losses.pop_back(); }).reason, "99 losses, the reference has 100");
  EXPECT_EQ(after([](WorkRecord& r) { r.losses[99] *= 1.01; }).status, ProofStatus::kFailed);
  EXPECT_EQ(after([](WorkRecord& r) { r.losses[3] = std::numeric_limits<double>::quiet_NaN(); }).status,
            ProofStatus::kFailed);
  EXPECT_EQ(compare_work({}, train({}), {}, kRate).status, ProofStatus::kNotRun);
}

TEST(Proof, ATensorWithoutTrueGradientMayDiffer) {
  WorkRecord reference = train({}), candidate = reference;
  reference.fingerprints[1].gradients["key.bias"] = 1e-12;
  candidate.fingerprints[1].gradients["key.bias"] = 3e-12;
  EXPECT_EQ(compare_work(reference, candidate, tolerances("fp32", false), kRate).status, ProofStatus::kHeld);
}

/// An adaptive optimizer turns the noise of a gradient that is zero into steps: such a tensor is named and left out.
TEST(Proof, ParametersWithoutTrueGradientAreLeftOutByName) {
  const WorkRecord reference = train({});
  WorkRecord candidate = reference;
  const std::string name = reference.fingerprints[2].parameters.begin()->first;
  candidate.fingerprints[2].parameters[name] *= 1 + 1e-5;
  Tolerances limits = tolerances("fp32", false);
  EXPECT_EQ(compare_work(reference, candidate, limits, kRate).status, ProofStatus::kFailed);
  limits.without_gradient = {name};
  EXPECT_EQ(compare_work(reference, candidate, limits, kRate).status, ProofStatus::kHeld);
}

TEST(WorkRecord, WeighsLossesOverRanks) {
  RunEvents run;
  run.ranks.resize(3);
  run.ranks[0].events.push_back({0, Step{1, 0, 0, 2, 2, 1.0, 2}});
  run.ranks[1].events.push_back({0, Step{1, 0, 0, 1, 1, 4.0, 1}});
  run.ranks[2].events.push_back({0, Step{1, 0, 0, 0, 0, std::numeric_limits<double>::quiet_NaN(), 0}});
  EXPECT_EQ(work_record(run).losses, std::vector<double>{2.0});
}

}  // namespace
}  // namespace lockstep::contract
