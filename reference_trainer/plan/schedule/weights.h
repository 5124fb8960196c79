#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::schedule {

/// Which weights a microbatch uses in a pipeline without flush. Version k of a stage's weights is what k updates made.
/// With p ranks, stage s, u microbatches an update, w = p-1-s (forwards ahead), microbatch i:
///
///   rule      forward and backward of i at stage s                     versions kept        source
///   stash     floor(max(0, i-w)/u): the newest at its forward          ceil(w/u) + 1        PipeDream 2019
///   vertical  floor(max(0, i-(p-1))/u): what stage 0 used, everywhere  ceil((p-1)/u) + 1    PipeDream 2019
///   2bw       max(0, floor(i/u) - 1), needs u >= p                     2                    Narayanan et al. 2021
///   predict   forward: the newest, extrapolated by the updates that    1 (the prediction    SpecTrain: Chen et
///             are to come before its own; backward: the newest         is scratch)          al. 2018
///
/// All but `predict` apply a gradient to the newest version, though it was computed at the one used.
enum class Weights : uint8_t { stash, vertical, two_bw, predict };

std::string_view name(Weights);
/// Throws Failure("usage") that names the nearest one.
Weights weights_of(std::string_view name);

struct Pipeline {
  Weights weights = Weights::stash;
  int ranks = 1;
  int per_update = 1;
};

struct WeightUse {
  int64_t version = 0;
  int slot = 0;       ///< where it lies: version mod versions kept
  int64_t ahead = 0;  ///< predict: updates to extrapolate over
  bool operator==(const WeightUse&) const = default;
};

/// Least microbatches an update: p for 2bw, 1 for the others.
int fewest_per_update(Weights, int ranks);
/// Why these numbers cannot be, with the nearest that can; or an empty text.
std::string why_not(const Pipeline&);
/// Versions that a stage keeps, the newest included.
int versions_kept(const Pipeline&, int stage);
WeightUse forward_weights(const Pipeline&, int stage, int64_t microbatch);
WeightUse backward_weights(const Pipeline&, int stage, int64_t microbatch);
/// The version that the update after `microbatch` writes, made from version - 1.
WeightUse updated_weights(const Pipeline&, int stage, int64_t microbatch);

}  // namespace lockstep::schedule
