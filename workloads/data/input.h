#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::workloads {

/// How one input tensor of the graph is cut from an array of the data file.
/// Not windowed (window 0): sample i is record i of the array. Windowed: sample i is array[i * stride + offset : +
/// window].
struct InputSpec {
  enum class Type { real, index };

  std::string name;                                   // the tensor's name in the graph
  std::string array;                                  // "image": the file has "train.image" and "test.image"
  std::vector<std::pair<std::string, int64_t>> dims;  // without batch, in memory order
  Type type = Type::real;
  int64_t window = 0, stride = 0, offset = 0;
  double shift = 0, scale = 1;  // real only: x = (stored - shift) * scale, in the run's precision

  /// Elements a sample.
  int64_t elements() const;
  /// Samples in an array of `records` records.
  int64_t samples(int64_t records) const;
  /// Records needed for `samples` samples.
  int64_t records(int64_t samples) const;
};

/// The inputs of a resolved workload's JSON, in its order.
std::vector<InputSpec> inputs_from_json(const nlohmann::ordered_json& json, const std::string& file);

nlohmann::ordered_json to_json(const InputSpec& input);

/// All of them as the text of one JSON object, by name.
std::string json_text(const std::vector<InputSpec>& inputs);

}  // namespace lockstep::workloads
