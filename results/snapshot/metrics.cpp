#include "results/snapshot/metrics.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace lockstep::snapshot {

namespace {

// The number at the front of "3%", "50000ns", "4194304B": suites are stored with these units.
double leading_number(const nlohmann::json& text) {
  double value = 0;
  if (!text.is_string()) return value;
  const auto& its = text.get_ref<const std::string&>();
  std::from_chars(its.data(), its.data() + its.size(), value);
  return value;
}

void read_margin(const nlohmann::json& gate, Metric& metric, double floor_unit) {
  if (!gate.contains(metric.name)) return;
  const nlohmann::json& its = gate[metric.name];
  if (its.contains("margin")) metric.margin.relative = leading_number(its["margin"]) / 100;
  if (its.contains("floor")) metric.margin.floor = leading_number(its["floor"]) * floor_unit;
}

}  // namespace

std::vector<Metric> metrics(const store::CampaignRow& campaign) {
  Metric time{"time", "s", &LaunchFigures::step_s, {0.03, 0}};
  Metric memory{"peak_memory", "B", &LaunchFigures::peak_memory_bytes, {0.02, 4194304}};
  const nlohmann::json suite = nlohmann::json::parse(campaign.suite_json, nullptr, false);
  if (suite.is_object() && suite.contains("gate")) {
    read_margin(suite["gate"], time, 1e-9);
    read_margin(suite["gate"], memory, 1);
  }
  return {time, memory};
}

}  // namespace lockstep::snapshot
