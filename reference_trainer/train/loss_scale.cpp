#include "reference_trainer/train/loss_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "adapters/contract/failure.h"

namespace lockstep::train {
namespace {

constexpr double kFirst = 65536, kLargest = 1 << 24;
constexpr int64_t kGoodSteps = 2000;

}  // namespace

LossScale::LossScale(const text::Strategy& strategy) {
  const text::Term* term = strategy.find_pass("amp");
  if (!term || *term->find("") != "fp16") return;
  const std::string* fixed = term->find("scale");
  is_dynamic_ = fixed == nullptr;
  scale_ = fixed ? std::stod(*fixed) : kFirst;
}

void LossScale::note(bool finite) {
  if (!finite) {
    ++skipped_, good_ = 0;
    if (is_dynamic_) scale_ = std::max(scale_ / 2, 1.0);
  } else if (++good_ >= kGoodSteps) {
    good_ = 0;
    if (is_dynamic_) scale_ = std::min(2 * scale_, kLargest);
  }
}

std::string LossScale::text() const { return fmt::format("{} {} {}", scale_, good_, skipped_); }

void LossScale::restore(const std::string& text) {
  std::istringstream in(text);
  double scale = 0;
  if (!(in >> scale >> good_ >> skipped_) || scale <= 0)
    throw Failure("setup", fmt::format("a checkpoint's loss scale is \"{}\"; it must be SCALE GOOD SKIPPED", text));
  if (is_dynamic_) scale_ = scale;
}

}  // namespace lockstep::train
