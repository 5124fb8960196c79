#pragma once

#include <filesystem>

namespace lockstep::places {

/// Where the parts of this installation lie. All absolute.
struct Places {
  std::filesystem::path home;       ///< the source tree, or PREFIX/share/lockstep
  std::filesystem::path bin;        ///< our executables
  std::filesystem::path workers;    ///< our workers: `bin`, or another build's that is to be measured
  std::filesystem::path workloads;  ///< *.json
  std::filesystem::path suites;     ///< *.json
  std::filesystem::path adapters;   ///< a folder each, with manifest.json
};

/// LOCKSTEP_HOME where it is set, else the first folder above the running executable that holds `workloads/suites` and
/// `adapters`, or share/lockstep beside its bin. Failure "setup" names the places that were looked at.
Places find();

/// The same, but with the workers of another build, whose executables lie in `bin`, and the adapters beside it: those
/// of the first folder above that holds some. Without any `adapters` is empty.
Places of_build(const Places& ours, const std::filesystem::path& bin);

}  // namespace lockstep::places
