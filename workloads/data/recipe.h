#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::workloads {

enum class Optimizer { sgd, momentum, nesterov, adamw, lars, lamb };

/// How many arrays as large as the parameters an optimizer keeps.
int optimizer_arrays(Optimizer optimizer);

/// Its first array is a velocity: each update goes along it.
bool keeps_velocity(Optimizer optimizer);
/// Norms of whole tensors enter the update.
bool has_rates_by_tensor(Optimizer optimizer);

enum class Schedule { constant, linear, cosine };
enum class Precision { fp32, fp64 };

/// How a workload is trained; what each value does is on the workloads' page. The batch is global.
struct Recipe {
  Optimizer optimizer = Optimizer::sgd;
  double lr = 0.1;
  double momentum = 0.9;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
  double trust = 0.001;  // of lars
  int64_t batch = 1;
  Schedule schedule = Schedule::constant;
  int64_t warmup_steps = 0;
  double final_lr_fraction = 0;
  std::optional<double> clip;  // bound of the global gradient norm
  Precision precision = Precision::fp32;
  uint64_t seed = 1;
  double dropout = 0;

  bool operator==(const Recipe&) const = default;
};

/// The names of the recipe's keys, in the order in which canonical texts print them.
const std::vector<std::string>& recipe_keys();

/// Sets one value from text ("0.01", "adamw", "none" for no clipping). Refuses unknown keys, naming the nearest, and
/// values outside the key's range; `file` and `place` stand in the message.
void set_recipe(Recipe& recipe, std::string_view key, std::string_view value, const std::string& file,
                const std::string& place);

/// The canonical text of one value: what set_recipe reads back to the same value.
std::string recipe_text(const Recipe& recipe, std::string_view key);

/// Overwrites the values that `json` (an object) has; all keys must be known.
void read_recipe(Recipe& recipe, const nlohmann::ordered_json& json, const std::string& file, const std::string& place);

/// A recipe from the resolved workload's JSON (`job.json`).
Recipe recipe_from_json(const nlohmann::json& json, const std::string& file);

nlohmann::ordered_json to_json(const Recipe& recipe);

}  // namespace lockstep::workloads
