#include "reference_trainer/worker/worker_options.h"

#include <array>
#include <nlohmann/json.hpp>

#include "adapters/contract/failure.h"
#include "adapters/contract/nearest.h"

namespace lockstep::worker {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 3> kNames = {"kernels", "deadline_s", "fault"};

struct FaultRow {
  std::string_view name;
  Faults faults;
};

constexpr FaultRow kFaults[] = {
    {"", {}},
    {"gradient_scale", {1.01, false, 0, 1}},
    {"drop_sample", {1, true, 0, 1}},
    {"weight_decay", {1, false, 0.01, 1}},
    {"momentum", {1, false, 0, 0.9}},
};

/// Options come from a system's text, so numbers may be texts.
int64_t whole(const Json& value, const std::string& key) {
  if (value.is_number_integer()) return value.get<int64_t>();
  try {
    return std::stoll(value.get<std::string>());
  } catch (const std::exception&) {
    refuse({"job.json", "/options/" + key, value.dump(), "must be a whole number", ""});
  }
}

}  // namespace

WorkerOptions parse_options(const std::string& json) {
  WorkerOptions options;
  const Json parsed = Json::parse(json);
  for (const auto& [key, value] : parsed.items()) {
    if (key == "kernels") {
      options.kernels = value.get<std::string>();
    } else if (key == "deadline_s") {
      options.deadline_s = whole(value, key);
    } else if (key == "fault") {
      options.fault = value.get<std::string>();
    } else {
      refuse({"job.json", "/options/" + key, "", "unknown option of the reference trainer",
              fmt::format("the nearest known one is \"{}\"", nearest(key, kNames))});
    }
  }
  return options;
}

Faults fault_named(const std::string& name) {
  std::string known;
  for (const FaultRow& row : kFaults) {
    if (row.name == name) return row.faults;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
  }
  refuse({"job.json", "/options/fault", name, "no such fault", "known are " + known});
}

}  // namespace lockstep::worker
