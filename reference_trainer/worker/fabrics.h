#pragma once

#include <span>
#include <string_view>

#include "reference_trainer/worker/rank_run.h"

namespace lockstep::worker {

/// A row of the table of fabrics: how the ranks of a launch come to life in this process.
struct FabricRow {
  std::string_view name;  ///< "": one rank
  std::string_view summary;
  void (*run)(Launch& launch);
};

std::span<const FabricRow> fabrics();

/// Throws Failure("unsupported") that lists the fabrics of this build.
const FabricRow& fabric_named(std::string_view text);

}  // namespace lockstep::worker
