#include "harness/launch/desktop.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "harness/launch/capture.h"

namespace lockstep::launch {
namespace {

constexpr double kAnswerSeconds = 20;

// As scripts/packages.sh has them.
const std::vector<std::string> kDesktopPackages = {"qt6-base-dev", "qt6-svg-dev", "libqcustomplot-dev", "libgl-dev",
                                                   "libopengl-dev"};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string how_to_build() {
  const std::vector<std::string> packages = packages_for_desktop();
  const std::string first =
      packages.empty() ? "its packages are there" : fmt::format("missing: {}", fmt::join(packages, " "));
  const std::string install =
      packages.empty() ? "" : fmt::format("apt-get install {}, then ", fmt::join(packages, " "));
  return fmt::format("the desktop program was not built; {}: {}build with -DLOCKSTEP_GUI=ON", first, install);
}

}  // namespace

std::vector<std::string> packages_for_desktop() {
  std::vector<std::string> command{"dpkg-query", "-W", "-f=${Package} ${db:Status-Status}\n"}, out = kDesktopPackages;
  command.insert(command.end(), kDesktopPackages.begin(), kDesktopPackages.end());
  std::istringstream lines(capture(command, kAnswerSeconds).out);
  for (std::string package, status; lines >> package >> status;) {
    if (status == "installed") std::erase(out, package);
  }
  return out;
}

Desktop find_desktop(const std::filesystem::path& bin) {
  Desktop out;
  out.program = bin / "lockstep-gui";
  if (!std::filesystem::exists(out.program)) {
    out.missing = how_to_build();
    return out;
  }
  const Captured version = capture({out.program.string(), "--version"}, kAnswerSeconds);
  out.version = first_line(version.out);
  if (version.code != 0) {
    const std::string said = first_line(version.err);
    out.missing = fmt::format("{} does not start{}{}: install what it names, or build it here with -DLOCKSTEP_GUI=ON",
                              out.program.string(), said.empty() ? "" : ": ", said);
  }
  return out;
}

}  // namespace lockstep::launch
