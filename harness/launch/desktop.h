#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::launch {

/// The desktop program as it was found on this machine.
struct Desktop {
  std::filesystem::path program;
  std::string version;  ///< "lockstep-gui 0.1.0, Qt 6.4.2", as it says itself
  std::string missing;  ///< why it cannot run here and what to do; empty: it can
};

/// Looks for it in the folder of our executables and asks it for its version, which needs no display.
Desktop find_desktop(const std::filesystem::path& bin);

/// Packages of the distribution that a build of it needs and that are not installed; all of them where there is no
/// package manager to ask.
std::vector<std::string> packages_for_desktop();

}  // namespace lockstep::launch
