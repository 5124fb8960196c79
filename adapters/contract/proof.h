#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adapters/contract/event_reader.h"
#include "adapters/contract/events.h"

/// The proof of equal work: did a system do the same work as the serial reference at the same global batch? Pure.
namespace lockstep::contract {

/// What a verify launch left: fingerprints by step, and the mean loss over the global batch of each step from 1.
struct WorkRecord {
  std::vector<Fingerprint> fingerprints;
  std::vector<double> losses;
};

/// Losses weighted over all ranks; fingerprints of the first rank that has them.
WorkRecord work_record(const RunEvents& run);

/// Relative limits. Gradient norms at steps 1 and 2: of max(own norm, floor x global norm), as some tensors have no
/// true gradient. Parameter norms after step 2: of max(own norm, lr). Losses: of max(|loss|, 1e-3).
struct Tolerances {
  double gradient = 1e-4;
  double gradient_floor = 1e-6;
  double parameter = 1e-6;
  double loss = 1e-5;  ///< at every one of the first 10 steps
  /// Of the mean loss of steps 91 to 100. One step's loss would be too noisy: correct fp32 runs of a convolutional
  /// network were seen 1.5e-2 apart at step 100 alone, and 3e-3 in this mean.
  double loss_late = 1e-4;
  /// Parameters that have elements without a true gradient (key biases: softmax does not see them). An adaptive
  /// optimizer turns their rounding noise into steps, so their norms after a step prove nothing and are not compared.
  std::vector<std::string> without_gradient;
};

/// `decides_by_sign`: the graph has ReLU or max pooling, where one value within rounding of zero changes the run.
/// `rounds`: activations are rounded to 16 bits, so one within fp32's rounding of the middle between two of them comes
/// out 2^-8 (bf16) or 2^-11 (fp16) apart. Limits are about ten times what correct runs were seen apart.
Tolerances tolerances(const std::string& precision, bool decides_by_sign, bool rounds = false);

/// The largest difference of one check, in units of its limit.
struct Difference {
  std::string check;   ///< "initial parameters", "gradients", "parameters", "loss", "late loss"
  std::string tensor;  ///< "" for losses
  int64_t step = 0;
  double expected = 0, found = 0;
  double relative = 0;  ///< |found - expected| over the scale of the check; infinite when one is not finite
  double limit = 0;

  bool held() const { return relative <= limit; }
};

enum class ProofStatus { kHeld, kFailed, kNotRun };

struct Proof {
  ProofStatus status = ProofStatus::kNotRun;
  std::string reason;                   ///< of failed and not run: one line with tensor, step and numbers
  std::vector<Difference> differences;  ///< the largest of each check that was made
};

/// Compares `candidate` with the serial reference. `lr` is the learning rate of the steps. Kept as not run when the
/// reference has no fingerprint of steps 1 and 2; failed when the candidate lacks one, or a tensor, or a loss.
Proof compare_work(const WorkRecord& reference, const WorkRecord& candidate, const Tolerances& limits, double lr);

}  // namespace lockstep::contract
