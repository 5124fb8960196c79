#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "harness/launch/capture.h"
#include "results/store/store.h"

namespace lockstep::testing {

/// A folder of its own for a store and run folders, and the built `lockstep` to work on them.
class Lab {
 public:
  Lab();
  ~Lab();

  /// In the folder: runs `lockstep ARGUMENTS --store ... --runs ...` to its end.
  launch::Captured lockstep(std::vector<std::string> arguments, double seconds = 120) const;
  /// Starts it and returns its pid; its outputs go to files of the folder.
  pid_t begin(std::vector<std::string> arguments) const;

  store::Store store() const;
  /// Every process that works in one of this lab's run folders now.
  std::vector<pid_t> processes() const;
  std::filesystem::path folder, store_file, runs;

 private:
  std::vector<std::string> command(std::vector<std::string> arguments) const;
};

std::string text_of(const std::filesystem::path& file);

/// Waits for a process that `begin` started: its exit code, or -signal.
int wait_for(pid_t pid);

/// A workload without a data package, a hundredth of a second long.
inline const std::string kTinyWork = "mlp-fashion:micro,data=synthetic,steps=20";

}  // namespace lockstep::testing
