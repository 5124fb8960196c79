#pragma once

#include <filesystem>
#include <optional>

#include "harness/environment/contention.h"
#include "results/store/rows.h"

namespace lockstep::collect {

/// What the harness saw of the machine around a launch. It stands beside the launch in its run folder, so that an
/// import elsewhere knows it, too.
struct Surroundings {
  double load_after = 0;
  std::optional<environment::Contention> others;  ///< none: the machine tells nothing
  bool disturbs = false;                          ///< a measurement of time
};

inline constexpr const char* kSurroundingsFile = "surroundings.json";

/// Failure "setup".
void write_surroundings(const std::filesystem::path& folder, const Surroundings& seen);
/// None in a folder from before they were kept. Failure "usage" where the file is damaged.
std::optional<Surroundings> read_surroundings(const std::filesystem::path& folder);

/// As metrics, and a mark "disturbed" on a timed launch.
void add_surroundings(store::LaunchRecord& record, const Surroundings& seen);

}  // namespace lockstep::collect
