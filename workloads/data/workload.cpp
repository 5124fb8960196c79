#include "workloads/data/workload.h"

#include <algorithm>

#include "adapters/contract/json_document.h"
#include "workloads/data/node.h"

namespace lockstep::workloads {

namespace {

constexpr int64_t kLargestCount = int64_t{1} << 50;

Json to_json(const Target& target) {
  Json out = {{"metric", target.metric}};
  if (target.at_least) out["at_least"] = *target.at_least;
  if (target.at_most) out["at_most"] = *target.at_most;
  out["every"] = target.every;
  out["found"] = target.found;
  return out;
}

Json to_json(const DataSpec& data) {
  Json out = {{"reader", data.reader}};
  if (!data.like.empty()) out["like"] = data.like;
  if (!data.package.empty()) out["package"] = data.package;
  out["train"] = data.train;
  out["test"] = data.test;
  return out;
}

std::string text_or(const Node& node, const std::string& key, const std::string& otherwise) {
  const auto member = node.find(key);
  return member ? member->text() : otherwise;
}

DataSpec read_data(const Node& node) {
  return {node.at("reader").text(), text_or(node, "like", ""), text_or(node, "package", ""),
          node.at("train").integer(0, kLargestCount), node.at("test").integer(0, kLargestCount)};
}

Target target_of(const Node& node) {
  Target target;
  target.metric = node.at("metric").text();
  if (const auto bound = node.find("at_least")) target.at_least = bound->number();
  if (const auto bound = node.find("at_most")) target.at_most = bound->number();
  target.every = node.at("every").text();
  target.found = text_or(node, "found", "");
  return target;
}

}  // namespace

std::string Workload::json() const {
  Json out = {{"id", id}, {"preset", preset}, {"text", text}, {"title", title}, {"inputs", Json::object()}};
  for (const InputSpec& input : inputs) out["inputs"][input.name] = workloads::to_json(input);
  out["graph"] = Json::parse(graph);
  out["recipe"] = workloads::to_json(recipe);
  out["steps"] = steps;
  out["samples"] = {{"train", train_samples}, {"test", test_samples}};
  out["evaluate_every"] = evaluate_every;
  out["scaling"] = weak_scaling ? "weak" : "strong";
  out["data"] = to_json(data);
  if (target) out["target"] = to_json(*target);
  return out.dump();
}

Workload workload_from_json(const std::string& text, const std::string& file) {
  const Json json = parse_document(text, file);
  const Node root(json, file);
  Workload out;
  out.id = root.at("id").text();
  out.preset = root.at("preset").text();
  out.text = root.at("text").text();
  out.title = root.at("title").text();
  out.inputs = inputs_from_json(root.at("inputs").json(), file);
  out.graph = root.at("graph").json().dump();
  read_recipe(out.recipe, root.at("recipe").json(), file, "$.recipe");
  out.steps = root.at("steps").integer(0, kLargestCount);
  out.train_samples = root.at("samples").at("train").integer(0, kLargestCount);
  out.test_samples = root.at("samples").at("test").integer(0, kLargestCount);
  out.evaluate_every = root.at("evaluate_every").integer(0, kLargestCount);
  out.weak_scaling = root.at("scaling").text() == "weak";
  out.data = read_data(root.at("data"));
  if (const auto target = root.find("target")) out.target = target_of(*target);
  return out;
}

std::vector<Listed> list(const std::filesystem::path& folder) {
  std::vector<Listed> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const std::string file = entry.path().string();
    const Json json = read_json(entry.path());
    const Node root(json, file);
    Listed listed{root.at("workload").text(), root.at("title").text(), {}};
    for (const auto& [preset, node] : root.at("presets").members()) listed.presets.push_back(preset);
    out.push_back(std::move(listed));
  }
  std::sort(out.begin(), out.end(), [](const Listed& a, const Listed& b) { return a.id < b.id; });
  return out;
}

}  // namespace lockstep::workloads
