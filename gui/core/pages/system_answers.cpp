#include "gui/core/pages/system_answers.h"

#include <fmt/format.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <optional>
#include <set>

#include "adapters/contract/failure.h"
#include "adapters/contract/plural.h"
#include "gui/core/text.h"
#include "reference_trainer/plan/terms/terms_of.h"
#include "results/snapshot/efficiency.h"
#include "results/snapshot/workload_text.h"

namespace lockstep::gui {
namespace {

using Kind = TermAnswer::Kind;

constexpr const char* kReferenceSystem = "reference";

struct Claimed {
  std::string term, own_name;
};

/// What the adapters of a name claimed, in any version that ran; nothing: the store does not know.
std::map<std::string, std::vector<Claimed>> claims_of(store::Store& store) {
  std::map<std::string, std::vector<Claimed>> out;
  for (const store::SystemRow& row : store.systems()) {
    std::vector<Claimed>& all = out[row.name];
    for (const auto& claim : QJsonDocument::fromJson(QByteArray::fromStdString(row.claims_json)).array()) {
      all.push_back({utf8(claim.toObject()["term"].toString()), utf8(claim.toObject()["own_name"].toString())});
    }
  }
  return out;
}

std::vector<store::CellRow> store_cells(store::Store& store) {
  std::vector<store::CellRow> out;
  std::set<std::string> known;
  for (const store::CampaignRow& campaign : store.campaigns()) {
    for (store::CellRow& cell : store.cells(campaign.id)) {
      if (!snapshot::is_command(cell) && known.insert(cell.text).second) out.push_back(std::move(cell));
    }
  }
  return out;
}

TermAnswer by_table(const terms::Row& row) {
  TermAnswer out;
  out.kind = row.supported() ? Kind::works : Kind::unsupported;
  out.why = row.because;
  return out;
}

TermAnswer by_claims(const terms::Row& row, const std::vector<Claimed>& claims, const std::string& name) {
  for (const Claimed& claim : claims) {
    if (terms::is_claimed(row, claim.term)) return {Kind::works, claim.own_name, 0, 0, ""};
  }
  return {Kind::unsupported, name + " does not claim it", 0, 0, ""};
}

/// Of a launch that was refused: "tp2: pytorch does not claim it" is about tp2.
std::optional<std::string> reason_against(const terms::Row& row, const std::string& message) {
  const size_t colon = message.find(": ");
  if (colon == std::string::npos || !terms::is_claimed(row, message.substr(0, colon))) return std::nullopt;
  return message.substr(colon + 2);
}

/// Where nobody knows what a system claims, its launches do.
void add_evidence(TermAnswer& answer, const terms::Row& row, const std::vector<store::LaunchRow>& launches) {
  for (const store::LaunchRow& launch : launches) {
    if (launch.status == store::LaunchStatus::finished) answer.kind = Kind::ran;
    if (launch.error_kind != "unsupported" || answer.kind != Kind::unknown) continue;
    if (const auto reason = reason_against(row, launch.error_message)) {
      answer.kind = Kind::unsupported, answer.why = *reason;
    }
  }
}

void add_proof(TermAnswer& answer, const std::vector<store::ProofRow>& newest_first) {
  if (newest_first.empty()) return;
  const store::ProofRow& proof = newest_first.front();
  answer.held += proof.state == store::ProofState::held ? 1 : 0;
  if (proof.state != store::ProofState::failed) return;
  if (answer.failed++ == 0) answer.failure = proof.reason;
}

/// Answers of one system before its cells are looked at.
SystemAnswers fresh_answers(const std::string& system, const std::map<std::string, std::vector<Claimed>>& claims) {
  SystemAnswers out{system, {}};
  const std::string name = snapshot::id_of(system);
  const auto known = claims.find(name);
  for (const terms::Row& row : terms::table()) {
    TermAnswer& answer = out.terms[terms::written(row)];
    if (name == kReferenceSystem) answer = by_table(row);
    if (name != kReferenceSystem && known != claims.end()) answer = by_claims(row, known->second, name);
  }
  return out;
}

}  // namespace

std::vector<const terms::Row*> rows_of_cell(const store::CellRow& cell) {
  try {
    return terms::rows_of(text::parse_strategy(cell.strategy));
  } catch (const Failure&) {
    return {};
  }
}

std::vector<SystemAnswers> system_answers(store::Store& store) {
  const std::map<std::string, std::vector<Claimed>> claims = claims_of(store);
  std::vector<SystemAnswers> out{fresh_answers(kReferenceSystem, claims)};
  const auto of = [&](const std::string& system) -> SystemAnswers& {
    const auto known = std::find_if(out.begin(), out.end(), [&](const auto& one) { return one.system == system; });
    return known != out.end() ? *known : out.emplace_back(fresh_answers(system, claims));
  };
  for (const store::CellRow& cell : store_cells(store)) {
    SystemAnswers& system = of(cell.system);
    if (snapshot::is_copies(cell)) continue;
    const std::string name = snapshot::id_of(cell.system);
    const bool by_launches = name != kReferenceSystem && claims.count(name) == 0;
    const auto proofs = store.proofs(cell.text, "");
    const auto launches = by_launches ? store.launches({{}, cell.text, {}, {}}) : std::vector<store::LaunchRow>{};
    for (const terms::Row* row : rows_of_cell(cell)) {
      TermAnswer& answer = system.terms[terms::written(*row)];
      add_evidence(answer, *row, launches);
      add_proof(answer, proofs);
    }
  }
  return out;
}

std::string words_of(const TermAnswer& answer) {
  switch (answer.kind) {
    case Kind::works:
      return answer.why.empty() ? "works" : "works: " + answer.why;
    case Kind::ran:
      return "ran";
    case Kind::unsupported:
      return "unsupported, because " + answer.why;
    case Kind::unknown:
      break;
  }
  return "not known";
}

std::string proof_words(const TermAnswer& answer) {
  const int64_t all = answer.held + answer.failed;
  if (answer.failed > 0) return fmt::format("FAILED in {} of {} cells", answer.failed, all);
  return all == 0 ? "" : "held in " + plural(all, "cell");
}

}  // namespace lockstep::gui
