#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workloads/data/expand.h"
#include "workloads/data/recipe.h"

namespace lockstep::workloads {

/// Everything of a workload that a preset or an argument can change, as it was set: nothing is derived yet.
struct Settings {
  Recipe recipe;
  std::vector<std::pair<std::string, Json>> variables;  // in the file's order; whole numbers or expressions
  std::optional<int64_t> samples, test_samples;         // absent: all there are
  std::optional<int64_t> steps, epochs;                 // one of them, once a preset is applied
  bool synthetic = false, weak = false;

  /// Sets one value from text. Refuses unknown keys, naming the nearest, and bad values.
  void set(const std::string& key, const std::string& value, const std::string& file, const std::string& place);
  /// The names that `set` knows.
  std::vector<std::string> keys() const;
  /// The canonical text of each set value that `base` has otherwise: "lr=0.001", in the order of keys().
  std::vector<std::string> differences(const Settings& base) const;
  /// The variables' values; expressions use those before them.
  Scope scope(const std::string& file) const;
};

}  // namespace lockstep::workloads
