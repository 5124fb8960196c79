#include "harness/places/places.h"

#include <cstdlib>
#include <vector>

#include "adapters/contract/failure.h"

namespace lockstep::places {
namespace fs = std::filesystem;
namespace {

bool is_home(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "workloads" / "suites", ignored) && fs::is_directory(folder / "adapters", ignored);
}

// Where the home of executables may be: an installation's, or the source tree that they were built in.
std::vector<fs::path> around(const fs::path& bin) {
  std::vector<fs::path> all{bin.parent_path() / "share" / "lockstep"};
  for (fs::path folder = bin; folder.has_relative_path(); folder = folder.parent_path()) all.push_back(folder);
  return all;
}

std::vector<fs::path> candidates(const fs::path& bin) {
  if (const char* home = std::getenv("LOCKSTEP_HOME"); home != nullptr && *home != '\0') return {fs::absolute(home)};
  std::vector<fs::path> all = around(bin);
#ifdef LOCKSTEP_SOURCE_DIR
  all.emplace_back(LOCKSTEP_SOURCE_DIR);
#endif
  return all;
}

}  // namespace

Places find() {
  const fs::path bin = fs::read_symlink("/proc/self/exe").parent_path();
  std::string looked;
  for (const fs::path& home : candidates(bin)) {
    if (is_home(home)) return {home, bin, bin, home / "workloads", home / "workloads" / "suites", home / "adapters"};
    looked += (looked.empty() ? "" : ", ") + home.string();
  }
  throw Failure("setup", "no folder with workloads and adapters found; looked at " + looked +
                             "; set LOCKSTEP_HOME to the source tree or to PREFIX/share/lockstep");
}

Places of_build(const Places& ours, const fs::path& bin) {
  Places its = ours;
  its.workers = bin;
  its.adapters.clear();
  for (const fs::path& home : around(bin)) {
    if (!is_home(home)) continue;
    its.home = home, its.adapters = home / "adapters";
    break;
  }
  return its;
}

}  // namespace lockstep::places
