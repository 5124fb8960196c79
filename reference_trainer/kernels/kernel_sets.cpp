#include <fmt/format.h>

#include <algorithm>

#include "adapters/contract/failure.h"
#include "reference_trainer/kernels/executable.h"
#include "reference_trainer/kernels/naive/executable.h"
#ifdef LOCKSTEP_WITH_ONEDNN
#include "reference_trainer/kernels/onednn/executable.h"
#endif

namespace lockstep::kernels {
namespace {

constexpr KernelSet kSets[] = {
#ifdef LOCKSTEP_WITH_ONEDNN
    {"onednn", "oneDNN's convolutions and our own vectorized loops, fp32",
     [](Precision precision) { return precision == Precision::fp32; }, onednn::compile},
#endif
    {"naive", "plain loops in one thread: the oracle", [](Precision) { return true; }, naive::compile},
};

std::string names_for(Precision precision) {
  std::string names;
  for (const KernelSet& set : kSets) {
    if (set.supports(precision)) names += fmt::format("{}{}", names.empty() ? "" : ", ", set.name);
  }
  return names;
}

}  // namespace

std::span<const KernelSet> kernel_sets() { return kSets; }

const KernelSet& kernel_set(std::string_view name, Precision precision) {
  const auto fits = [&](const KernelSet& set) {
    return (name == "auto" || set.name == name) && set.supports(precision);
  };
  const auto* set = std::find_if(std::begin(kSets), std::end(kSets), fits);
  if (set != std::end(kSets)) return *set;
  const char* what = precision == Precision::fp64 ? "fp64" : "fp32";
  std::string why =
      fmt::format("kernel set \"{}\" in {}: this build has for {}: {}", name, what, what, names_for(precision));
#ifndef LOCKSTEP_WITH_ONEDNN
  if (name == "onednn") why += "; install libdnnl-dev and configure with -DLOCKSTEP_ONEDNN=ON";
#endif
  throw Failure("unsupported", why);
}

}  // namespace lockstep::kernels
