// { "format": "lockstep.costs", "version": 1, "workload": "cnn-fashion:tiny", "launch": "@14.7",
//   "byte_ns": 0.5,
//   "ops": { "conv1": 5120.4, "pool1": 310.9, ... } }
#include "harness/suite/costs_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "adapters/contract/failure.h"
#include "reference_trainer/graph/build.h"
#include "reference_trainer/plan/cut_choice.h"
#include "reference_trainer/plan/text/workload_text.h"
#include "results/json/writer.h"
#include "workloads/data/node.h"
#include "workloads/plan/plan_of.h"

namespace lockstep::suite {
namespace {

using workloads::Node;

constexpr const char* kFormat = "lockstep.costs";

double nanoseconds(const Node& node) {
  const double value = node.number();
  if (value < 0) node.refuse("a cost is 0 or more nanoseconds of a sample", "write 0 for what takes no time");
  return value;
}

/// Which model a workload's text names: its recipe changes no cost.
std::string model_of(const std::string& written) {
  const text::WorkloadText parsed = text::parse_workload(written);
  return parsed.id + ":" + parsed.preset;
}

void check_heading(const Node& root, const workloads::Workload& workload) {
  root.only({"format", "version", "workload", "launch", "byte_ns", "ops"});
  if (root.at("format").text() != kFormat)
    root.at("format").refuse(fmt::format("must be {}", kFormat), "write one: lockstep export @14.7 --costs -o FILE");
  root.at("version").integer(1, 1);
  const Node measured = root.at("workload");
  if (model_of(measured.text()) != model_of(workload.text)) {
    measured.refuse(fmt::format("costs of another model than {}'s", model_of(workload.text)),
                    "record a serial launch of it: lockstep run -w " + model_of(workload.text) + " --profile");
  }
}

plan::MeasuredCosts read_costs(const std::filesystem::path& path, const workloads::Workload& workload) {
  const std::string file = path.lexically_normal().string();
  const workloads::Json json = workloads::read_json(file);
  const Node root(json, file);
  check_heading(root, workload);
  plan::MeasuredCosts costs;
  if (const auto byte = root.find("byte_ns")) costs.of_byte = nanoseconds(*byte);
  for (const auto& [name, node] : root.at("ops").members()) costs.of_op[name] = nanoseconds(node);
  return costs;
}

}  // namespace

text::Strategy with_chosen_cut(const text::Strategy& strategy, const workloads::Workload& workload,
                               const std::filesystem::path& folder) {
  const text::Term* term = strategy.find_pass("stages");
  if (!term) return strategy;
  const std::string* name = term->find("");
  const bool measured = name && name->ends_with(".json");
  if (!measured && !term->find("fit")) return strategy;
  const workloads::PlanInput input = workloads::plan_input(workload);
  const graph::Graph forward = graph::build(input.graph);
  if (!measured) return plan::with_chosen_cut(forward, strategy, input.work);
  const plan::MeasuredCosts costs = read_costs(folder / *name, workload);
  return plan::with_chosen_cut(forward, strategy, input.work, &costs);
}

std::string costs_text(const workloads::Workload& workload, const std::string& launch,
                       const std::map<std::string, double>& ns_by_op) {
  json::Writer out;
  out.open_object().member("format", kFormat).member("version", 1).member("workload", workload.text);
  out.member("launch", launch).member("byte_ns", plan::MeasuredCosts().of_byte).key("ops").open_object();
  for (const auto& [op, cost] : plan::costs_by_forward_op(graph::build(workload.json()), ns_by_op))
    out.member(op, cost);
  return out.close().close().text();
}

}  // namespace lockstep::suite
