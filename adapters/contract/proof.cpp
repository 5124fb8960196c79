#include "adapters/contract/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace lockstep::contract {
namespace {

constexpr int64_t kGradientSteps = 2;
constexpr int64_t kFirstLosses = 10;
constexpr int64_t kLateLoss = 100;
constexpr int64_t kLateWindow = 10;

const Fingerprint* fingerprint_of(const WorkRecord& record, int64_t step) {
  for (const Fingerprint& print : record.fingerprints)
    if (print.step == step) return &print;
  return nullptr;
}

double relative(double expected, double found, double scale) {
  if (!std::isfinite(expected) || !std::isfinite(found)) return std::numeric_limits<double>::infinity();
  return std::abs(found - expected) / scale;
}

double global_norm(const std::map<std::string, double>& norms) {
  double sum = 0;
  for (const auto& [name, norm] : norms) sum += norm * norm;
  return std::sqrt(sum);
}

/// Collects the largest difference of each check and the first reason to fail.
class Comparison {
 public:
  void fail(const std::string& reason) {
    if (proof_.reason.empty()) proof_.reason = reason;
  }

  void add(Difference difference) {
    auto known = std::find_if(proof_.differences.begin(), proof_.differences.end(),
                              [&](const Difference& d) { return d.check == difference.check; });
    if (known == proof_.differences.end())
      proof_.differences.push_back(difference);
    else if (difference.relative > known->relative)
      *known = difference;
  }

  /// Compares norms by name; both sides must have the same names. `floor` is the least scale.
  void norms(const std::string& check, int64_t step, const std::map<std::string, double>& expected,
             const std::map<std::string, double>& found, double limit, double floor) {
    for (const auto& [name, norm] : expected) {
      const auto other = found.find(name);
      if (other == found.end()) {
        fail(fmt::format("{} at step {}: no norm of {}", check, step, name));
        continue;
      }
      const double scale = std::max({std::abs(norm), floor, std::numeric_limits<double>::min()});
      add({check, name, step, norm, other->second, relative(norm, other->second, scale), limit});
    }
    for (const auto& [name, norm] : found) {
      if (!expected.contains(name)) fail(fmt::format("{} at step {}: unknown tensor {}", check, step, name));
    }
  }

  void loss(const std::string& check, int64_t step, double expected, double found, double limit) {
    add({check, "", step, expected, found, relative(expected, found, std::max(std::abs(expected), 1e-3)), limit});
  }

  Proof finish() {
    for (const Difference& d : proof_.differences) {
      if (d.held()) continue;
      fail(fmt::format("{} at step {}{}{}: expected {:.9g}, found {:.9g}, off by {:.2g} of its scale, limit {:.2g}",
                       d.check, d.step, d.tensor.empty() ? "" : " of ", d.tensor, d.expected, d.found, d.relative,
                       d.limit));
    }
    proof_.status = proof_.reason.empty() ? ProofStatus::kHeld : ProofStatus::kFailed;
    return std::move(proof_);
  }

 private:
  Proof proof_;
};

std::map<std::string, double> without(std::map<std::string, double> norms, const std::vector<std::string>& names) {
  for (const std::string& name : names) norms.erase(name);
  return norms;
}

void compare_fingerprints(const WorkRecord& reference, const WorkRecord& candidate, const Tolerances& limits, double lr,
                          Comparison& comparison) {
  for (int64_t step = 0; step <= kGradientSteps; ++step) {
    const Fingerprint* expected = fingerprint_of(reference, step);
    const Fingerprint* found = fingerprint_of(candidate, step);
    if (!expected) continue;  // step 0 alone: the others were asked for before
    if (!found) {
      comparison.fail(fmt::format("no fingerprint of step {}", step));
      continue;
    }
    if (step == 0)
      comparison.norms("initial parameters", 0, expected->parameters, found->parameters, limits.parameter, lr);
    else
      comparison.norms("gradients", step, expected->gradients, found->gradients, limits.gradient,
                       limits.gradient_floor * global_norm(expected->gradients));
    if (step == kGradientSteps)
      comparison.norms("parameters", step, without(expected->parameters, limits.without_gradient),
                       without(found->parameters, limits.without_gradient), limits.parameter, lr);
  }
}

/// Mean of the kLateWindow losses up to step kLateLoss.
double late_mean(const std::vector<double>& losses) {
  const auto end = losses.begin() + kLateLoss;
  return std::accumulate(end - kLateWindow, end, 0.0) / kLateWindow;
}

void compare_losses(const WorkRecord& reference, const WorkRecord& candidate, const Tolerances& limits,
                    Comparison& comparison) {
  if (candidate.losses.size() != reference.losses.size())
    comparison.fail(fmt::format("{} losses, the reference has {}", candidate.losses.size(), reference.losses.size()));
  const int64_t count = static_cast<int64_t>(std::min(reference.losses.size(), candidate.losses.size()));
  for (int64_t step = 1; step <= count; ++step) {
    const auto at = static_cast<size_t>(step - 1);
    if (step <= kFirstLosses) comparison.loss("loss", step, reference.losses[at], candidate.losses[at], limits.loss);
  }
  if (count < kLateLoss) return;
  comparison.loss("late loss", kLateLoss, late_mean(reference.losses), late_mean(candidate.losses), limits.loss_late);
}

}  // namespace

WorkRecord work_record(const RunEvents& run) {
  WorkRecord record;
  std::map<int64_t, std::pair<double, double>> sums;
  for (const RankEvents& rank : run.ranks) {
    if (record.fingerprints.empty()) record.fingerprints = rank.all<Fingerprint>();
    for (const Step& step : rank.all<Step>()) {
      if (step.loss_weight == 0) continue;  // a rank without samples has no loss
      sums[step.step].first += step.loss * step.loss_weight;
      sums[step.step].second += step.loss_weight;
    }
  }
  for (const auto& [step, sum] : sums) record.losses.push_back(sum.first / sum.second);
  return record;
}

Tolerances tolerances(const std::string& precision, bool decides_by_sign, bool rounds) {
  Tolerances limits;
  if (precision == "fp64") {
    limits = {1e-9, 1e-8, 1e-12, 1e-10, 1e-8};
  } else if (rounds) {
    limits = {5e-3, 1e-5, 1e-3, 1e-2, 5e-2};
  } else if (decides_by_sign) {
    limits.loss = 1e-3;
    limits.loss_late = 1e-2;
  }
  return limits;
}

Proof compare_work(const WorkRecord& reference, const WorkRecord& candidate, const Tolerances& limits, double lr) {
  for (int64_t step = 1; step <= kGradientSteps; ++step) {
    if (!fingerprint_of(reference, step))
      return {ProofStatus::kNotRun, fmt::format("the reference has no fingerprint of step {}", step), {}};
  }
  Comparison comparison;
  compare_fingerprints(reference, candidate, limits, lr, comparison);
  compare_losses(reference, candidate, limits, comparison);
  return comparison.finish();
}

}  // namespace lockstep::contract
