#include <algorithm>
#include <fstream>
#include <sstream>

#include "adapters/contract/failure.h"
#include "adapters/contract/json_document.h"
#include "adapters/contract/nearest.h"
#include "harness/suite/suite.h"
#include "reference_trainer/plan/text/quantity.h"
#include "workloads/data/node.h"

namespace lockstep::suite {
namespace fs = std::filesystem;
using workloads::Node;
namespace {

constexpr int64_t kMostLaunches = 10'000;

std::vector<std::string> texts(const Node& node) {
  std::vector<std::string> out;
  for (const Node& element : node.elements()) out.push_back(element.text());
  if (out.empty()) node.refuse("an empty list", "name at least one");
  return out;
}

// A number or a text, as in {"lr": 0.05, "schedule": "cosine"}: what stands after "=" in a workload's text.
std::string value_text(const Node& node) {
  const auto& json = node.json();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number() || json.is_boolean()) return json.dump();
  if (json.is_null()) return "none";
  node.refuse("expected a number or a text", "as in {\"lr\": 0.05}");
}

bool is_id(const std::string& text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || c == '_' || c == '-'; });
}

Entry read_entry(const Node& node) {
  node.only({"systems", "strategies", "n", "fabrics"});
  Entry entry{texts(node.at("systems")), texts(node.at("strategies")), {}, {}};
  if (const auto n = node.find("n")) {
    for (const Node& element : n->elements()) entry.n.push_back(element.integer(1, 1 << 20));
  }
  if (const auto fabrics = node.find("fabrics")) entry.fabrics = texts(*fabrics);
  const bool wants_n = std::any_of(entry.strategies.begin(), entry.strategies.end(),
                                   [](const std::string& s) { return s.find("{n}") != std::string::npos; });
  if (wants_n && entry.n.empty()) node.refuse("a strategy holds {n} but there is no \"n\"", "add \"n\": [2, 4]");
  if (!wants_n && !entry.n.empty()) node.refuse("\"n\" without a strategy that holds {n}", "write \"dp{n}\"");
  return entry;
}

Threshold read_threshold(const Node& node, bool is_time) {
  node.only({"margin", "floor"});
  Threshold threshold;
  try {
    threshold.margin = text::parse_fraction(node.at("margin").text());
    if (const auto floor = node.find("floor")) {
      threshold.floor = is_time ? text::parse_nanoseconds(floor->text()) : text::parse_bytes(floor->text());
    }
  } catch (const Failure& failure) {
    node.refuse(failure.what(), "as in {\"margin\": \"3%\", \"floor\": \"50us\"}");
  }
  return threshold;
}

void read_numbers(const Node& root, Suite& suite) {
  if (const auto n = root.find("launches")) suite.launches = n->integer(1, kMostLaunches);
  if (const auto n = root.find("threads")) suite.threads = n->integer(1, 4096);
  if (const auto n = root.find("warmup")) suite.warmup = n->integer(0, 1'000'000);
  if (const auto base = root.find("base"); base && base->text() != suite.base) {
    base->refuse("efficiency is against the serial cell of the same system", "write \"serial\", or leave it out");
  }
  if (const auto converge = root.find("converge")) {
    if (!converge->json().is_boolean()) converge->refuse("expected true or false", "");
    suite.converge = converge->json().get<bool>();
  }
  if (const auto profile = root.find("profile")) {
    if (!profile->json().is_boolean()) profile->refuse("expected true or false", "");
    suite.profile = profile->json().get<bool>();
  }
}

void read_gate(const Node& root, Suite& suite) {
  const auto gate = root.find("gate");
  if (!gate) return;
  gate->only({"time", "peak_memory"});
  for (const auto& [metric, node] : gate->members()) suite.gate[metric] = read_threshold(node, metric == "time");
}

std::vector<std::string> read_recipe_axis(const Node& node) {
  std::vector<std::string> overrides;
  for (const auto& [key, value] : node.members()) overrides.push_back(key + "=" + value_text(value));
  return overrides;
}

}  // namespace

Suite parse_suite(const std::string& text, const std::string& file) {
  const workloads::Json document = parse_document(text, file);
  const Node root(document, file);
  root.only({"suite", "title", "workloads", "cells", "recipes", "exclude", "launches", "threads", "warmup", "base",
             "converge", "profile", "gate"});
  Suite suite;
  suite.id = root.at("suite").text();
  if (!is_id(suite.id)) root.at("suite").refuse("a suite's id is [a-z0-9][a-z0-9_-]*", "");
  if (const auto title = root.find("title")) suite.title = title->text();
  suite.workloads = texts(root.at("workloads"));
  for (const Node& entry : root.at("cells").elements()) suite.entries.push_back(read_entry(entry));
  if (suite.entries.empty()) root.at("cells").refuse("a suite needs at least one entry", "");
  if (const auto recipes = root.find("recipes")) {
    for (const Node& recipe : recipes->elements()) suite.recipes.push_back(read_recipe_axis(recipe));
  }
  if (suite.recipes.empty()) suite.recipes.emplace_back();
  if (const auto exclude = root.find("exclude")) {
    for (const Node& filter : exclude->elements()) suite.exclude.push_back(filter.text());
  }
  read_numbers(root, suite);
  read_gate(root, suite);
  return suite;
}

Suite read_suite(const fs::path& file) {
  std::ifstream stream(file);
  if (!stream) refuse({file.string(), "", "", "the suite cannot be read", "lockstep run lists the suites there are"});
  std::ostringstream text;
  text << stream.rdbuf();
  return parse_suite(text.str(), file.string());
}

std::vector<Listed> list(const fs::path& suites) {
  std::vector<Listed> all;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(suites, ignored)) {
    if (entry.path().extension() != ".json") continue;
    const Suite suite = read_suite(entry.path());
    all.push_back({suite.id, suite.title});
  }
  std::sort(all.begin(), all.end(), [](const Listed& a, const Listed& b) { return a.id < b.id; });
  return all;
}

Suite find_suite(const std::string& text, const fs::path& suites) {
  const fs::path by_id = suites / (text + ".json");
  if (is_id(text) && fs::exists(by_id)) return read_suite(by_id);
  if (fs::is_directory(text)) {
    refuse({"", "SUITE", text, "is a folder", "name a suite's file in it, or a suite by its id"});
  }
  if (fs::exists(text)) return read_suite(text);
  std::vector<std::string> names;
  for (const Listed& listed : list(suites)) names.push_back(listed.id);
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  const std::string close = nearest(text, names);
  refuse({"", "SUITE", text, "no such file, and no suite of that name",
          close.empty() ? "there are none in " + suites.string() : "nearest: " + close + "; there are: " + all});
}

}  // namespace lockstep::suite
