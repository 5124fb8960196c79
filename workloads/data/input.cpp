#include "workloads/data/input.h"

#include <numeric>

#include "workloads/data/nearest_remedy.h"
#include "workloads/data/node.h"

namespace lockstep::workloads {

namespace {

constexpr int64_t kLargestSize = int64_t{1} << 40;

InputSpec::Type type_of(const Node& node) {
  const std::string text = node.text();
  if (text == "real") return InputSpec::Type::real;
  if (text == "index") return InputSpec::Type::index;
  node.refuse("is no type of input", nearest_remedy("type", text, {"real", "index"}));
}

void read_window(const Node& node, InputSpec& input) {
  input.window = node.at("window").integer(1, kLargestSize);
  input.stride = node.at("stride").integer(1, kLargestSize);
  if (const auto offset = node.find("offset")) input.offset = offset->integer(0, kLargestSize);
  if (input.window != input.elements()) {
    node.at("window").refuse("must be the product of the dims", "give both the same variable");
  }
}

InputSpec read_input(const std::string& name, const Node& node) {
  node.only({"array", "dims", "type", "window", "stride", "offset", "shift", "scale"});
  InputSpec input;
  input.name = name;
  input.array = node.at("array").text();
  for (const auto& [dim, size] : node.at("dims").members()) input.dims.emplace_back(dim, size.integer(1, kLargestSize));
  input.type = type_of(node.at("type"));
  if (node.find("window") || node.find("stride") || node.find("offset")) read_window(node, input);
  for (const char* key : {"shift", "scale"}) {
    const auto value = node.find(key);
    if (!value) continue;
    if (input.type == InputSpec::Type::index) value->refuse("is for real inputs only", "leave it out");
    (std::string_view(key) == "shift" ? input.shift : input.scale) = value->number();
  }
  return input;
}

}  // namespace

int64_t InputSpec::elements() const {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1},
                         [](int64_t n, const auto& dim) { return n * dim.second; });
}

int64_t InputSpec::samples(int64_t records) const {
  if (window == 0) return records;
  return records < offset + window ? 0 : (records - offset - window) / stride + 1;
}

int64_t InputSpec::records(int64_t samples) const {
  if (window == 0 || samples == 0) return samples;
  return (samples - 1) * stride + offset + window;
}

std::vector<InputSpec> inputs_from_json(const nlohmann::ordered_json& json, const std::string& file) {
  std::vector<InputSpec> inputs;
  for (const auto& [name, node] : Node(json, file, "$.inputs").members()) inputs.push_back(read_input(name, node));
  return inputs;
}

nlohmann::ordered_json to_json(const InputSpec& input) {
  Json out = {{"array", input.array}, {"dims", Json::object()}};
  for (const auto& [dim, size] : input.dims) out["dims"][dim] = size;
  out["type"] = input.type == InputSpec::Type::real ? "real" : "index";
  if (input.window != 0) {
    out["window"] = input.window;
    out["stride"] = input.stride;
    out["offset"] = input.offset;
  }
  if (input.type == InputSpec::Type::real) {
    out["shift"] = input.shift;
    out["scale"] = input.scale;
  }
  return out;
}

std::string json_text(const std::vector<InputSpec>& inputs) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const InputSpec& input : inputs) out[input.name] = to_json(input);
  return out.dump();
}

}  // namespace lockstep::workloads
