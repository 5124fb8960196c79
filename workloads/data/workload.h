#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workloads/data/input.h"
#include "workloads/data/recipe.h"

namespace lockstep::workloads {

/// Where the samples come from. `like` is the data set that a synthetic one imitates, empty otherwise.
struct DataSpec {
  std::string reader, like, package;
  int64_t train = 0, test = 0;  // records the reader has: images, bytes
};

/// The quality target: exactly one of the bounds is there.
struct Target {
  std::string metric;  // test_accuracy | bits_per_byte
  std::optional<double> at_least, at_most;
  std::string every;  // "1 epoch", "250 steps": the evaluation rule
  std::string found;  // how and with what figure the target was reached
};

/// A workload with its preset and arguments applied: everything a launch needs, as plain data.
struct Workload {
  std::string id, preset, title;
  std::string text;  // canonical: "gpt-austen:tiny,lr=0.001", arguments at their default left out
  DataSpec data;
  std::vector<InputSpec> inputs;
  std::string graph;  // JSON: the flat list of ops
  Recipe recipe;
  int64_t steps = 0;
  int64_t train_samples = 0, test_samples = 0;
  int64_t evaluate_every = 0;  // steps; 0: at the end only
  bool weak_scaling = false;   // the global batch is the recipe's batch times the data-parallel ranks
  std::optional<Target> target;

  int64_t steps_per_epoch() const { return (train_samples + recipe.batch - 1) / recipe.batch; }
  /// The resolved workload as `job.json` carries it.
  std::string json() const;
};

/// The workload files of a folder, for whoever resolves many workloads: each file is read once, and each graph expanded
/// once for the same variables.
class Folder {
 public:
  explicit Folder(std::filesystem::path path);
  ~Folder();

  /// Takes ID.json, applies `preset` and `args` ("key=value": recipe keys, the workload's variables, and
  /// data=synthetic, scaling=weak, samples, test_samples, steps, epochs), checks and resolves it. Refuses with
  /// Failure("usage") what is wrong, naming file, place, value, rule and remedy.
  Workload resolve(const std::string& id, const std::string& preset, const std::vector<std::string>& args);

 private:
  struct File;
  File& file(const std::string& id);

  std::filesystem::path path_;
  std::map<std::string, std::unique_ptr<File>> files_;
};

/// Folder::resolve, for whoever resolves one.
Workload resolve(const std::filesystem::path& folder, const std::string& id, const std::string& preset,
                 const std::vector<std::string>& args);

/// A resolved workload back from its JSON text; `file` names it in messages.
Workload workload_from_json(const std::string& text, const std::string& file);

struct Listed {
  std::string id, title;
  std::vector<std::string> presets;
};

/// The workloads of a folder, by id.
std::vector<Listed> list(const std::filesystem::path& folder);

}  // namespace lockstep::workloads
