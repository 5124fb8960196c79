#pragma once

#include <cstdint>
#include <string>

#include "reference_trainer/plan/text/strategy.h"

namespace lockstep::train {

/// Loss scaling for gradients in fp16 (Micikevicius et al. 2018, section 3.2): the loss, and with it every gradient, is
/// multiplied by this, so that small ones do not vanish; the update sees them divided again. A step in which some
/// gradient of some rank is not finite updates nothing. A dynamic scale is then halved, and doubled after 2000 steps in
/// a row that went well; one that the strategy names stays. All ranks have the same.
class LossScale {
 public:
  explicit LossScale(const text::Strategy& strategy);

  /// A power of two, unless the strategy names another number; 1 where nothing is scaled.
  double value() const { return scale_; }
  /// A dynamic scale cannot be halved any further, so when gradients overflow it is not its fault.
  bool is_least() const { return is_dynamic_ && scale_ <= 1; }
  /// Says what became of a step's gradients.
  void note(bool finite);
  /// Steps that updated nothing, from the first one on.
  int64_t skipped() const { return skipped_; }

  /// What a checkpoint keeps of it: "SCALE GOOD SKIPPED".
  std::string text() const;
  /// Throws Failure("setup") when it is no such text. Where the strategy decides the scale, that counts.
  void restore(const std::string& text);

 private:
  bool is_dynamic_ = false;
  double scale_ = 1;
  int64_t good_ = 0;  ///< steps in a row
  int64_t skipped_ = 0;
};

}  // namespace lockstep::train
