#include "harness/verify/prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "adapters/contract/failure.h"
#include "reference_trainer/plan/terms/check.h"
#include "results/json/writer.h"
#include "results/snapshot/efficiency.h"

namespace lockstep::verify {
namespace {

using store::LaunchMode;
using store::LaunchStatus;

// What of an environment is known before anything starts.
nlohmann::json before_start(const std::string& text) {
  nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (!document.is_object()) return {};
  for (const char* key : {"worker", "device", "versions"}) document.erase(key);
  return document;
}

// ReLU and max pooling decide by a sign, so that one value within rounding of zero changes the run.
bool decides_by_sign(const workloads::Workload& workload) {
  for (const auto& op : nlohmann::json::parse(workload.graph)) {
    const std::string kind = op.value("op", ""), activation = op.value("activation", "");
    if (kind == "relu" || kind == "max_pool" || activation == "relu") return true;
  }
  return false;
}

// The bias of what feeds an attention op holds the key biases, which have no true gradient.
std::vector<std::string> key_biases(const workloads::Workload& workload) {
  std::vector<std::string> names;
  for (const auto& op : nlohmann::json::parse(workload.graph)) {
    if (op.value("op", "") == "attention" && op.at("in").is_string())
      names.push_back(op.at("in").get<std::string>() + ".bias");
  }
  return names;
}

std::optional<store::LaunchRow> newest_verify(store::Store& store, const std::string& cell,
                                              const store::LaunchRow& candidate) {
  std::vector<store::LaunchRow> found =
      store.launches({std::nullopt, cell, LaunchMode::verify, LaunchStatus::finished});
  // Launches of one campaign stand together, so its own reference goes before an older one.
  std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
    return std::pair(a.campaign == candidate.campaign, a.ended_utc_ns) <
           std::pair(b.campaign == candidate.campaign, b.ended_utc_ns);
  });
  return found.empty() ? std::nullopt : std::optional(found.back());
}

std::string differences_json(const std::vector<contract::Difference>& differences) {
  json::Writer out;
  out.open_array();
  for (const contract::Difference& d : differences) {
    out.open_object().member("check", d.check).known("tensor", d.tensor).member("step", d.step);
    out.member("expected", d.expected).member("found", d.found).member("relative", d.relative).member("limit", d.limit);
    out.member("held", d.held()).close();
  }
  return out.close().text();
}

std::string compared_json(const contract::Tolerances& limits, double lr) {
  json::Writer out;
  out.open_object().member("gradient", limits.gradient).member("gradient_floor", limits.gradient_floor);
  out.member("parameter", limits.parameter).member("loss", limits.loss).member("loss_late", limits.loss_late);
  return out.member("lr", lr).close().text();
}

void fill(store::ProofRow& row, const workloads::Workload& workload, const std::string& strategy,
          const contract::WorkRecord& reference, const contract::WorkRecord& candidate) {
  const workloads::Recipe& recipe = workload.recipe;
  const bool rounds = text::parse_strategy(strategy).find_pass("amp") != nullptr;
  contract::Tolerances limits =
      contract::tolerances(workloads::recipe_text(recipe, "precision"), decides_by_sign(workload), rounds);
  limits.without_gradient = key_biases(workload);
  const contract::Proof proof = contract::compare_work(reference, candidate, limits, recipe.lr);
  row.state = proof.status == contract::ProofStatus::kHeld     ? store::ProofState::held
              : proof.status == contract::ProofStatus::kFailed ? store::ProofState::failed
                                                               : store::ProofState::none;
  row.reason = proof.reason;
  row.compared_json = compared_json(limits, recipe.lr);
  row.differences_json = differences_json(proof.differences);
  for (const contract::Difference& d : proof.differences) row.worst = std::max(row.worst, d.relative / d.limit);
}

// The proofs that name the launch, newest first.
std::vector<store::ProofRow> proofs_of(store::Store& store, const store::LaunchRow& launch) {
  std::vector<store::ProofRow> out = store.proofs(launch.cell, launch.environment);
  std::erase_if(out, [&](const store::ProofRow& row) { return row.launch != launch.id; });
  return out;
}

// Judged by the workload as it was when the launch ran. What another version wrote may be unreadable here.
std::optional<store::ProofRow> judge_recorded(store::Store& store, const store::CellRow& cell,
                                              const store::LaunchRow& launch) {
  try {
    if (!has_proof(cell)) return std::nullopt;
    return judge(store, cell, workloads::workload_from_json(cell.workload_json, cell.workload), launch);
  } catch (const Failure& failure) {
    store::ProofRow row;
    row.cell = cell.text, row.environment = launch.environment, row.launch = launch.id;
    row.at_utc_ns = launch.ended_utc_ns;
    row.reason = std::string("what was recorded of the cell cannot be read: ") + failure.what();
    return row;
  }
}

// Nothing where there is none to record.
std::optional<store::ProofRow> fresh_proof(store::Store& store, const store::LaunchRow& launch) {
  const std::vector<store::ProofRow> known = proofs_of(store, launch);
  if (!known.empty() && known.front().state != store::ProofState::none) return std::nullopt;
  std::optional<store::ProofRow> row = judge_recorded(store, *store.cell(launch.cell), launch);
  const bool is_news = row && (known.empty() || row->state != store::ProofState::none);
  return is_news ? row : std::nullopt;
}

}  // namespace

std::string reference_cell(const std::string& workload, const std::string& strategy) {
  return fmt::format("{} reference {}", workload, text::print(terms::serial_of(text::parse_strategy(strategy))));
}

bool has_proof(const suite::PlannedCell& cell) { return !cell.refused && has_proof(suite::row_of(cell)); }

bool has_proof(const store::CellRow& cell) {
  return !snapshot::is_copies(cell) && terms::equals_serial(text::parse_strategy(cell.strategy));
}

std::optional<store::ProofRow> known_proof(store::Store& store, const std::string& cell,
                                           const std::string& environment) {
  const nlohmann::json now = before_start(environment);
  for (const store::ProofRow& row : store.proofs(cell, "")) {
    if (row.state == store::ProofState::none) continue;
    const auto made_in = store.environment(row.environment);
    if (made_in && before_start(made_in->json) == now) return row;
  }
  return std::nullopt;
}

std::vector<std::string> missing_proofs(store::Store& store, const std::vector<suite::PlannedCell>& cells,
                                        const std::map<std::string, std::string>& environment_of_system, bool again) {
  std::vector<std::string> references, others;
  std::set<std::string> seen;
  const auto environment = [&](const std::string& system) {
    const auto found = environment_of_system.find(system);
    return found == environment_of_system.end() ? std::string("{}") : found->second;
  };
  for (const suite::PlannedCell& cell : cells) {
    if (!has_proof(cell) || (!again && known_proof(store, cell.text, environment(cell.system)))) continue;
    const std::string reference = reference_cell(cell);
    if (again || cell.text == reference || !known_proof(store, reference, environment("reference"))) {
      if (seen.insert(reference).second) references.push_back(reference);
    }
    if (seen.insert(cell.text).second) others.push_back(cell.text);
  }
  references.insert(references.end(), others.begin(), others.end());
  return references;
}

contract::WorkRecord work_record(store::Store& store, const std::string& launch) {
  contract::WorkRecord record;
  std::map<int64_t, contract::Fingerprint> prints;
  for (const store::FingerprintRow& row : store.fingerprints(launch)) {
    contract::Fingerprint& print = prints[row.step];
    print.step = row.step;
    print.parameters[row.tensor] = row.parameter_norm;
    if (row.gradient_norm) print.gradients[row.tensor] = *row.gradient_norm;
  }
  for (auto& [step, print] : prints) record.fingerprints.push_back(std::move(print));
  std::map<int64_t, std::vector<double>> losses, weights;
  for (const store::SeriesRow& row : store.series(launch)) {
    const auto* values = std::get_if<std::vector<double>>(&row.values);
    if (values != nullptr && row.name == "loss") losses[row.rank] = *values;
    if (values != nullptr && row.name == "loss_weight") weights[row.rank] = *values;
  }
  size_t steps = losses.empty() ? 0 : losses.begin()->second.size();
  for (const auto& [rank, values] : losses) steps = std::min({steps, values.size(), weights[rank].size()});
  for (size_t step = 0; step < steps; ++step) {
    double sum = 0, weight = 0;
    for (const auto& [rank, values] : losses) {
      // A rank without a sample in a ragged step has a loss of nothing.
      if (weights[rank][step] > 0) sum += values[step] * weights[rank][step], weight += weights[rank][step];
    }
    record.losses.push_back(sum / weight);
  }
  return record;
}

store::ProofRow judge(store::Store& store, const store::CellRow& cell, const workloads::Workload& workload,
                      const store::LaunchRow& launch) {
  store::ProofRow row;
  row.cell = cell.text, row.environment = launch.environment, row.launch = launch.id;
  row.at_utc_ns = launch.ended_utc_ns;
  const std::string reference_text = reference_cell(cell.workload, cell.strategy);
  if (cell.text == reference_text) {
    row.state = store::ProofState::reference;
    return row;
  }
  const auto reference = newest_verify(store, reference_text, launch);
  if (!reference) {
    row.reason = "there is no finished verify launch of " + reference_text;
  } else {
    row.reference_launch = reference->id;
    fill(row, workload, cell.strategy, work_record(store, reference->id), work_record(store, launch.id));
  }
  return row;
}

store::ProofRow prove(store::Store& store, const suite::PlannedCell& cell, const store::LaunchRow& launch) {
  return store.record_proof(judge(store, suite::row_of(cell), *cell.resolved, launch));
}

int64_t prove_imported(store::Store& store) {
  int64_t recorded = 0;
  for (const store::LaunchRow& launch :
       store.launches({std::nullopt, std::nullopt, LaunchMode::verify, LaunchStatus::finished})) {
    if (const auto row = fresh_proof(store, launch)) store.record_proof(*row), ++recorded;
  }
  return recorded;
}

}  // namespace lockstep::verify
