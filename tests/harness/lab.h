#pragma once

#include <sys/types.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
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

/// A folder for LOCKSTEP_HOME whose adapter `fake` is a script of its own, which stands in for a build.
void make_home(const std::filesystem::path& home, const std::string& git, const std::string& factor);

/// A variable of this process's environment for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() {
    if (before_) {
      set(*before_);
    } else {
      unsetenv(name_);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  void set(const std::string& value) { setenv(name_, value.c_str(), 1); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

std::string text_of(const std::filesystem::path& file);

/// Waits for a process that `begin` started: its exit code, or -signal.
int wait_for(pid_t pid);

/// A workload without a data package, a hundredth of a second long.
inline const std::string kTinyWork = "mlp-fashion:micro,data=synthetic,steps=20";

}  // namespace lockstep::testing
