#include "reference_trainer/graph/build.h"

#include <nlohmann/json.hpp>

#include <array>

#include "adapters/contract/failure.h"
#include "adapters/contract/nearest.h"
#include "reference_trainer/graph/op_table.h"

namespace lockstep::graph {
namespace {

// Dims are written in the order of the shape, so objects must keep their order.
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 17> kKeys = {"op",         "name",   "in",     "out",  "activation", "weight",
                                                    "bias",       "kernel", "stride", "pad",  "epsilon",    "momentum",
                                                    "norm_group", "vocab",  "rate",   "init", "seed"};

[[noreturn]] void refuse_entry(const std::string& place, const std::string& rule) { refuse({"", place, "", rule, ""}); }

Shape shape_of(const Json& dims, const std::string& place) {
  Shape shape;
  if (!dims.is_object()) refuse_entry(place, "dims are an object such as {\"hidden\": 64}");
  for (const auto& [dim, size] : dims.items()) {
    if (!size.is_number_integer() || size.get<int64_t>() < 1) {
      refuse_entry(place + "/" + dim, fmt::format("{}: a dim's size is a whole number of at least 1", size.dump()));
    }
    shape.push_back({dim_named(dim), size.get<int64_t>()});
  }
  return shape;
}

void read_value(OpSpec& spec, const std::string& key, const Json& value, const std::string& place) {
  if (key == "out") {
    spec.out = shape_of(value, place);
  } else if (key == "in") {
    spec.in =
        value.is_array() ? value.get<std::vector<std::string>>() : std::vector<std::string>{value.get<std::string>()};
  } else if (key == "kernel" || key == "stride" || key == "pad") {
    spec.lists[key] = value.is_array() ? value.get<std::vector<int64_t>>() : std::vector<int64_t>{value.get<int64_t>()};
  } else if (key == "init") {
    spec.init = Init{value.at("kind").get<std::string>(), value.value("scale", 0.0)};
  } else if (value.is_boolean()) {
    spec.flags[key] = value.get<bool>();
  } else if (value.is_number()) {
    spec.numbers[key] = value.get<double>();
  } else {
    spec.texts[key] = value.get<std::string>();
  }
}

OpSpec spec_of(const Json& entry, const std::string& place) {
  OpSpec spec;
  for (const char* key : {"op", "name", "in"}) {
    if (!entry.contains(key)) refuse_entry(place, fmt::format("an op needs \"{}\"", key));
  }
  spec.op = entry.at("op").get<std::string>();
  spec.name = entry.at("name").get<std::string>();
  for (const auto& [key, value] : entry.items()) {
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) {
      refuse_entry(place + "/" + key, fmt::format("unknown key; the nearest known one is \"{}\"", nearest(key, kKeys)));
    }
    try {
      if (key != "op" && key != "name") read_value(spec, key, value, place + "/" + key);
    } catch (const nlohmann::json::exception&) {
      refuse_entry(place + "/" + key, fmt::format("{}: not a value that \"{}\" can have", value.dump(), key));
    }
  }
  return spec;
}

void build_op(Builder& builder, const OpSpec& spec, const std::string& place) {
  std::vector<std::string_view> known;
  for (const OpRow& row : op_table()) {
    if (!row.build) continue;
    if (name(row.kind) == spec.op) return row.build(builder, spec);
    known.push_back(name(row.kind));
  }
  refuse_entry(place + "/op",
               fmt::format("unknown op \"{}\"; the nearest known one is \"{}\"", spec.op, nearest(spec.op, known)));
}

}  // namespace

Graph build(std::string_view resolved_workload_json) {
  const Json workload = Json::parse(resolved_workload_json);
  Builder builder;
  for (const auto& [input, description] : workload.at("inputs").items()) {
    Shape shape = {{Dim::batch, 0}};
    for (const Extent& extent : shape_of(description.at("dims"), "/inputs/" + input + "/dims")) shape.push_back(extent);
    builder.input(input, shape, description.at("type") == "index" ? Type::index : Type::real);
  }
  size_t index = 0;
  for (const Json& entry : workload.at("graph")) {
    const std::string place = fmt::format("/graph/{}", index++);
    build_op(builder, spec_of(entry, place), place);
  }
  if (builder.graph.loss == kNoTensor)
    refuse_entry("/graph", "a workload needs a loss: end it with softmax_cross_entropy");
  builder.graph.forward_ops = static_cast<int32_t>(builder.graph.ops.size());
  return builder.graph;
}

}  // namespace lockstep::graph
