#include "reference_trainer/plan/schedule/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "adapters/contract/failure.h"
#include "adapters/contract/nearest.h"

namespace lockstep::schedule {
namespace {

constexpr std::array<std::string_view, 4> kWeights = {"stash", "vertical", "2bw", "predict"};

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Updates that have been done at a stage whose forwards run `ahead` microbatches before its backwards.
int64_t newest(const Pipeline& p, int ahead, int64_t microbatch) {
  return std::max<int64_t>(0, microbatch - ahead) / p.per_update;
}

WeightUse placed(const Pipeline& p, int stage, int64_t version, int64_t ahead = 0) {
  return {version, static_cast<int>(version % versions_kept(p, stage)), ahead};
}

}  // namespace

std::string_view name(Weights weights) { return kWeights[static_cast<size_t>(weights)]; }

Weights weights_of(std::string_view name) {
  const auto found = std::ranges::find(kWeights, name);
  if (found != kWeights.end()) return static_cast<Weights>(found - kWeights.begin());
  refuse({.place = "pipedream: weights",
          .value = std::string(name),
          .rule = fmt::format("is none of {}", fmt::join(kWeights, ", ")),
          .remedy = fmt::format("did you mean {}?", nearest(name, kWeights))});
}

int fewest_per_update(Weights weights, int ranks) { return weights == Weights::two_bw ? ranks : 1; }

std::string why_not(const Pipeline& p) {
  const int least = fewest_per_update(p.weights, p.ranks);
  if (p.per_update >= least) return {};
  return fmt::format(
      "pipedream:weights={} on {} ranks needs m of at least {} microbatches an update, not {}; the "
      "nearest legal one is m={}",
      name(p.weights), p.ranks, least, p.per_update, least);
}

int versions_kept(const Pipeline& p, int stage) {
  switch (p.weights) {
    case Weights::stash:
      return static_cast<int>(ceil_div(p.ranks - 1 - stage, p.per_update)) + 1;
    case Weights::vertical:
      return static_cast<int>(ceil_div(p.ranks - 1, p.per_update)) + 1;
    case Weights::two_bw:
      return 2;
    case Weights::predict:
      return 1;
  }
  return 1;
}

WeightUse forward_weights(const Pipeline& p, int stage, int64_t microbatch) {
  const int ahead = p.ranks - 1 - stage;
  switch (p.weights) {
    case Weights::stash:
      return placed(p, stage, newest(p, ahead, microbatch));
    case Weights::vertical:
      return placed(p, stage, newest(p, p.ranks - 1, microbatch));
    case Weights::two_bw:
      return placed(p, stage, std::max<int64_t>(0, microbatch / p.per_update - 1));
    case Weights::predict:
      break;
  }
  const int64_t version = newest(p, ahead, microbatch);
  return placed(p, stage, version, microbatch / p.per_update - version);
}

WeightUse backward_weights(const Pipeline& p, int stage, int64_t microbatch) {
  if (p.weights == Weights::predict) return placed(p, stage, microbatch / p.per_update);
  return forward_weights(p, stage, microbatch);
}

WeightUse updated_weights(const Pipeline& p, int stage, int64_t microbatch) {
  return placed(p, stage, (microbatch + 1) / p.per_update);
}

}  // namespace lockstep::schedule
