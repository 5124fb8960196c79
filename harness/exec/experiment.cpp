#include "harness/exec/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "adapters/contract/failure.h"
#include "adapters/contract/json_words.h"
#include "harness/launch/shell.h"
#include "results/json/utf8.h"
#include "results/store/id.h"

namespace lockstep::exec {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

template <class T>
void put(Json& json, const char* name, const std::optional<T>& value) {
  if (value) json[name] = *value;
}

template <class T>
void get(const Json& json, const char* name, std::optional<T>& value) {
  if (json.contains(name)) value = json.at(name).get<T>();
}

// What all variants have in common.
Json common(const Experiment& e) {
  Json json{{"name", e.name}, {"name_is_given", e.name_is_given}, {"command", e.command}, {"directory", e.directory},
            {"log", e.log},   {"timeout_s", e.timeout_s}};
  put(json, "warmup", e.warmup), put(json, "samples", e.samples), put(json, "tokens", e.tokens);
  return json;
}

Experiment read_common(const Json& json) {
  Experiment e;
  json.at("name").get_to(e.name), json.at("name_is_given").get_to(e.name_is_given);
  json.at("command").get_to(e.command), json.at("directory").get_to(e.directory);
  json.at("log").get_to(e.log), json.at("timeout_s").get_to(e.timeout_s);
  get(json, "warmup", e.warmup), get(json, "samples", e.samples), get(json, "tokens", e.tokens);
  return e;
}

Json json_of(const Variant& variant) { return {{"label", variant.label}, {"variables", variant.variables}}; }

Variant variant_of(const Json& json) {
  Variant variant;
  json.at("label").get_to(variant.label), json.at("variables").get_to(variant.variables);
  return variant;
}

[[noreturn]] void damaged(const std::exception& error) {
  throw Failure("setup", "what `lockstep exec` kept of its command is damaged: " + json_words(error.what()));
}

// The campaign's experiment, if the cell is one of its variants.
std::optional<Experiment> of_campaign(const store::CampaignRow& campaign, const store::CellRow& cell) {
  if (!is_experiment(campaign)) return std::nullopt;
  Experiment experiment = from_json(campaign.suite_json);
  const auto& all = experiment.variants;
  const bool its =
      std::any_of(all.begin(), all.end(), [&](const Variant& v) { return strategy_text(v) == cell.strategy; });
  return its && workload_text(experiment) == cell.workload ? std::optional(experiment) : std::nullopt;
}

}  // namespace

std::string escaped(const std::string& text, const std::string& more) {
  const std::string taken = " ,%*?" + more;
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = json::utf8_sequence(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    if (bytes == 0 || byte < 0x20 || byte == 0x7F || taken.find(text[at]) != std::string::npos) {
      out += fmt::format("%{:02X}", byte);
      ++at;
    } else {
      out += text.substr(at, bytes);
      at += bytes;
    }
  }
  return out;
}

std::string strategy_text(const Variant& variant) {
  std::string text = variant.label;
  for (const auto& [name, value] : variant.variables) {
    text += (&name == &variant.variables.front().first ? ":" : ",") + escaped(name, ":") + "=" + escaped(value);
  }
  return text;
}

std::string workload_text(const Experiment& experiment) {
  const std::string text = std::string(kSystem) + ":" + escaped(experiment.name, ":/");
  if (experiment.name_is_given) return text;
  std::string all;
  for (const std::string& word : experiment.command) all += word + '\0';
  return text + ",command=" + store::content_hash(all).substr(0, 8);
}

store::CellRow cell_of(const Experiment& experiment, const Variant& variant) {
  store::CellRow cell;
  cell.workload = workload_text(experiment), cell.system = kSystem, cell.strategy = strategy_text(variant);
  cell.text = cell.workload + " " + cell.system + " " + cell.strategy;
  cell.workload_json = dumped(common(experiment)), cell.strategy_json = dumped(json_of(variant));
  return cell;
}

Experiment experiment_of(const store::CellRow& cell) {
  try {
    Experiment experiment = read_common(Json::parse(cell.workload_json));
    experiment.variants.push_back(variant_of(Json::parse(cell.strategy_json)));
    return experiment;
  } catch (const Json::exception& error) {
    damaged(error);
  }
}

bool is_experiment(const store::CampaignRow& campaign) {
  const Json json = Json::parse(campaign.suite_json, nullptr, false);
  return json.is_object() && json.contains("exec");
}

Experiment experiment_of(const store::CampaignRow& campaign, const store::CellRow& cell) {
  std::optional<Experiment> found = of_campaign(campaign, cell);
  if (!found) return experiment_of(cell);
  std::erase_if(found->variants, [&](const Variant& variant) { return strategy_text(variant) != cell.strategy; });
  return *std::move(found);
}

std::string to_json(const Experiment& experiment) {
  Json json = common(experiment);
  json["launches"] = experiment.launches;
  for (const Variant& variant : experiment.variants) json["variants"].push_back(json_of(variant));
  return dumped({{"exec", json}});
}

Experiment from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text).at("exec");
    Experiment experiment = read_common(json);
    json.at("launches").get_to(experiment.launches);
    for (const Json& variant : json.at("variants")) experiment.variants.push_back(variant_of(variant));
    return experiment;
  } catch (const Json::exception& error) {
    damaged(error);
  }
}

std::string command_line(const store::CampaignRow& campaign, const store::CellRow& cell,
                         const std::vector<std::string>& options) {
  const Experiment whole = of_campaign(campaign, cell).value_or(experiment_of(cell));
  std::vector<std::string> words{"lockstep", "exec", "-n", "1"};
  const auto add = [&](const char* option, const std::string& value) { words.insert(words.end(), {option, value}); };
  if (whole.name_is_given) add("--name", whole.name);
  if (whole.log != "auto") add("--log", whole.log);
  if (whole.warmup) add("--warmup", std::to_string(*whole.warmup));
  if (whole.samples) add("--samples", std::to_string(*whole.samples));
  if (whole.tokens) add("--tokens", std::to_string(*whole.tokens));
  if (whole.timeout_s != Experiment{}.timeout_s) add("--timeout", fmt::format("{}", whole.timeout_s));
  for (const Variant& variant : whole.variants) {
    const bool is_a = variant.label == "A";
    if (!is_a && strategy_text(variant) != cell.strategy) continue;
    for (const auto& [name, value] : variant.variables) add(is_a ? "--a" : "--b", name + "=" + value);
    if (strategy_text(variant) == cell.strategy) break;
  }
  words.insert(words.end(), options.begin(), options.end());
  words.emplace_back("--");
  words.insert(words.end(), whole.command.begin(), whole.command.end());
  std::string line = "cd " + launch::shell_word(whole.directory) + " &&";
  for (const std::string& word : words) line += " " + launch::shell_word(word);
  return line;
}

}  // namespace lockstep::exec
