#include "reference_trainer/graph/build.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

#include "adapters/contract/failure.h"
#include "adapters/contract/nearest.h"
#include "reference_trainer/graph/op_table.h"

namespace lockstep::graph {
namespace {

// Dims are written in the order of the shape, so objects must keep their order.
using Json = nlohmann::ordered_json;

/// Keys of every op; those of one kind stand in its row.
constexpr std::array<std::string_view, 4> kCommonKeys = {"op", "name", "in", "activation"};

[[noreturn]] void refuse_entry(const std::string& place, const std::string& rule) { refuse({"", place, "", rule, ""}); }

Shape shape_of(const Json& dims, const std::string& place) {
  Shape shape;
  if (!dims.is_object()) refuse_entry(place, "dims are an object such as {\"hidden\": 64}");
  for (const auto& [dim, size] : dims.items()) {
    if (!size.is_number_integer() || size.get<int64_t>() < 1) {
      refuse_entry(place + "/" + dim, fmt::format("{}: a dim's size is a whole number of at least 1", size.dump()));
    }
    try {
      shape.push_back({dim_named(dim), size.get<int64_t>()});
    } catch (const Failure& unknown) {
      refuse_entry(place + "/" + dim, unknown.what());
    }
  }
  return shape;
}

std::string value_text(const Json& value, const std::string& key) {
  return fmt::format("{}: not a value that \"{}\" can have", value.dump(), key);
}

/// Throws nlohmann's exception when the value is not of the key's type.
void read_value(OpSpec& spec, const std::string& key, const Json& value, const std::string& place) {
  if (key == "op" || key == "name") {
    (key == "op" ? spec.op : spec.name) = value.get<std::string>();
  } else if (key == "out") {
    spec.out = shape_of(value, place);
  } else if (key == "in") {
    spec.in =
        value.is_array() ? value.get<std::vector<std::string>>() : std::vector<std::string>{value.get<std::string>()};
  } else if (key == "kernel" || key == "stride" || key == "pad" || key == "rows") {
    spec.lists[key] = value.is_array() ? value.get<std::vector<int64_t>>() : std::vector<int64_t>{value.get<int64_t>()};
  } else if (key == "init") {
    spec.init = Init{value.at("kind").get<std::string>(), value.value("scale", 0.0)};
  } else if (key == "bias" || key == "causal") {
    spec.flags[key] = value.get<bool>();
  } else if (key == "activation" || key == "weight" || key == "axis") {
    spec.texts[key] = value.get<std::string>();
  } else {
    if (!value.is_number()) refuse_entry(place, value_text(value, key));
    spec.numbers[key] = value.get<double>();
  }
}

const OpRow& row_of_entry(const Json& entry, const std::string& place) {
  const std::string op = entry.at("op").is_string() ? entry.at("op").get<std::string>() : entry.at("op").dump();
  std::vector<std::string_view> known;
  for (const OpRow& row : op_table()) {
    if (!row.build) continue;
    if (name(row.kind) == op) return row;
    known.push_back(name(row.kind));
  }
  refuse_entry(place + "/op",
               fmt::format("unknown op \"{}\"; the nearest known one is \"{}\"", op, nearest(op, known)));
}

std::vector<std::string_view> keys_of(const OpRow& row) {
  std::vector<std::string_view> keys(kCommonKeys.begin(), kCommonKeys.end());
  for (size_t at = 0; at < row.keys.size();) {
    const size_t end = std::min(row.keys.find(' ', at), row.keys.size());
    keys.push_back(row.keys.substr(at, end - at));
    at = end + 1;
  }
  return keys;
}

OpSpec spec_of(const Json& entry, const OpRow& row, const std::string& place) {
  const std::vector<std::string_view> known = keys_of(row);
  OpSpec spec;
  for (const auto& [key, value] : entry.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      refuse_entry(place + "/" + key, fmt::format("unknown key of {}; the nearest known one is \"{}\"", name(row.kind),
                                                  nearest(key, known)));
    }
    try {
      read_value(spec, key, value, place + "/" + key);
    } catch (const nlohmann::json::exception&) {
      refuse_entry(place + "/" + key, value_text(value, key));
    }
  }
  return spec;
}

/// Adds the op of one entry of the list; `dropout` is the recipe's rate, for dropout ops that name none.
void add_entry(Builder& builder, const Json& entry, const std::string& place, double dropout) {
  for (const char* key : {"op", "name", "in"}) {
    if (!entry.contains(key)) refuse_entry(place, fmt::format("an op needs \"{}\"", key));
  }
  const OpRow& row = row_of_entry(entry, place);
  OpSpec spec = spec_of(entry, row, place);
  if (row.kind == OpKind::dropout) spec.numbers.try_emplace("rate", dropout);
  row.build(builder, spec);
}

/// A parameter that the loss does not depend on would never be trained, and has no gradient to exchange.
void refuse_unused_parameters(const Graph& graph) {
  std::vector<bool> reaches(graph.tensors.size(), false);
  reaches[static_cast<size_t>(graph.loss)] = true;
  for (size_t i = graph.ops.size(); i-- > 0;) {
    const Op& op = graph.ops[i];
    if (!reaches[static_cast<size_t>(op.out[0])]) continue;
    for (TensorId id : op.in) reaches[static_cast<size_t>(id)] = true;
  }
  for (const Op& op : graph.ops) {
    for (TensorId id : op.in) {
      if (graph.tensor(id).role != Role::parameter || reaches[static_cast<size_t>(id)]) continue;
      refuse_entry(fmt::format("graph op \"{}\" ({})", op.name, name(op.kind)),
                   fmt::format("the loss does not depend on its parameter \"{}\"", graph.tensor(id).name));
    }
  }
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
  const double dropout = workload.value("recipe", Json::object()).value("dropout", 0.0);
  size_t index = 0;
  for (const Json& entry : workload.at("graph")) {
    add_entry(builder, entry, fmt::format("/graph/{}", index++), dropout);
  }
  if (builder.graph.loss == kNoTensor)
    refuse_entry("/graph", "a workload needs a loss: end it with softmax_cross_entropy or binary_cross_entropy");
  refuse_unused_parameters(builder.graph);
  builder.graph.forward_ops = static_cast<int32_t>(builder.graph.ops.size());
  return builder.graph;
}

}  // namespace lockstep::graph
