#include "gui/core/pages/terms_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reference_trainer/plan/terms/check.h"
#include "reference_trainer/plan/terms/terms_of.h"
#include "results/report/cell_words.h"
#include "results/report/tables.h"
#include "results/report/values.h"

namespace lockstep::gui {
namespace {

using snapshot::CellSnapshot;
using snapshot::WorkloadGroup;

/// What the table of terms itself tells of a row.
struct ToldOfTerm {
  const char *key, *title;
  std::string (*text)(const terms::Row& row);
};
constexpr ToldOfTerm kToldOfTerm[] = {
    {"kind", "kind", [](const terms::Row& row) { return std::string(terms::name(row.kind)); }},
    {"meaning", "meaning", [](const terms::Row& row) { return std::string(row.meaning); }},
    {"parameters", "parameters", terms::describe_parameters},
    {"needs", "needs 2 ranks of", [](const terms::Row& row) { return std::string(row.needs); }},
    {"conflicts", "not with", [](const terms::Row& row) { return std::string(row.conflicts); }},
    {"conflict_reason", "because", [](const terms::Row& row) { return std::string(row.conflict_why); }},
    {"where", "implemented in", [](const terms::Row& row) { return std::string(row.where); }},
};

/// A key of letters, digits and "_", as filters take it.
std::string key_of(const std::string& system, const char* what) {
  std::string out = system + "_" + what;
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return out;
}

void add_columns(std::vector<report::Column>& columns, const std::string& system, const WorkloadGroup* group) {
  columns.push_back(report::name_column(key_of(system, "answer"), system));
  columns.push_back(report::name_column(key_of(system, "proof"), system + ": equal work"));
  if (group == nullptr) return;
  report::Column rate = report::throughput_column(report::counted(*group), report::unit_of(*group).name);
  rate.key = key_of(system, rate.key.c_str());
  rate.title = system + ": best";
  columns.push_back(std::move(rate));
  columns.push_back(report::name_column(key_of(system, "best"), system + ": by"));
}

bool is_counted(const CellSnapshot& cell, report::Counted unit) {
  return cell.throughput.ok() && report::counted(cell) == unit;
}

/// What stands in the columns of one system and term.
class Best {
 public:
  Best(const WorkloadGroup& group, const std::vector<size_t>& cells, const std::string& system) : group_(group) {
    for (const size_t i : cells) {
      if (group.cells[i].cell.system == system) cells_.push_back(&group.cells[i]);
    }
  }

  report::Value number() const {
    if (cells_.empty()) return nothing("no cell", "no cell of this campaign has the term");
    const CellSnapshot& best = *cells_.front();
    if (best.throughput.ok() || best.reasons.empty())
      return report::throughput_value(best, report::counted(group_), report::unit_of(group_).size);
    const snapshot::Reason& reason = best.reasons.front();
    return nothing(store::to_text(reason.status), reason.kind + ": " + reason.message);
  }
  report::Value name() const {
    const bool there = !cells_.empty() && cells_.front()->throughput.ok();
    return report::text_value(there ? report::strategy_of(cells_.front()->cell) : "");
  }

 private:
  /// A word in place of a number; the reason is in the tooltip.
  static report::Value nothing(const char* word, const std::string& reason) {
    report::Value out = report::missing_value(reason);
    out.text = word;
    return out;
  }

  const WorkloadGroup& group_;
  std::vector<const CellSnapshot*> cells_;
};

void add_answer(std::vector<report::Value>& values, const TermAnswer& answer) {
  const std::string proof = proof_words(answer);
  values.push_back(report::text_value(words_of(answer)));
  values.push_back(report::text_value(proof.empty() ? "no proof" : proof));
}

}  // namespace

CellsOfTerms cells_of_terms(const WorkloadGroup& group) {
  std::vector<size_t> order;
  for (size_t i = 0; i < group.cells.size(); ++i) {
    if (!group.cells[i].is_copies) order.push_back(i);
  }
  const report::Counted unit = report::counted(group);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const CellSnapshot &left = group.cells[a], &right = group.cells[b];
    if (!is_counted(left, unit) || !is_counted(right, unit)) return is_counted(left, unit) && !is_counted(right, unit);
    return right.throughput.value < left.throughput.value;
  });
  CellsOfTerms out;
  for (const size_t i : order) {
    for (const terms::Row* row : rows_of_cell(group.cells[i].cell)) out[terms::written(*row)].push_back(i);
  }
  return out;
}

report::Table term_results(const WorkloadGroup& group, const std::string& term, const RowFilter& filter,
                           int64_t campaign) {
  WorkloadGroup some = group;
  some.cells.clear();
  CellsOfTerms cells = cells_of_terms(group);
  for (const size_t i : cells[term]) {
    if (matches(filter, group.cells[i].cell)) some.cells.push_back(group.cells[i]);
  }
  report::Table out = report::results_table(some, campaign);
  out.title = fmt::format("Cells with {}", term);
  return out;
}

report::Table terms_table(const std::vector<SystemAnswers>& systems, const WorkloadGroup* group) {
  report::Table out;
  out.title = group == nullptr ? "Terms of strategies" : "Terms of strategies on " + group->workload;
  out.columns = {report::name_column("term", "term")};
  for (const SystemAnswers& system : systems) add_columns(out.columns, system.system, group);
  for (const ToldOfTerm& told : kToldOfTerm) out.columns.push_back(report::name_column(told.key, told.title));
  CellsOfTerms cells = group == nullptr ? CellsOfTerms{} : cells_of_terms(*group);
  for (const terms::Row& row : terms::table()) {
    const std::string term = terms::written(row);
    report::Row line{term, {report::text_value(term)}};
    for (const SystemAnswers& system : systems) {
      add_answer(line.values, system.terms.at(term));
      if (group == nullptr) continue;
      const Best best(*group, cells[term], system.system);
      line.values.push_back(best.number());
      line.values.push_back(best.name());
    }
    for (const ToldOfTerm& told : kToldOfTerm) line.values.push_back(report::text_value(told.text(row)));
    out.rows.push_back(std::move(line));
  }
  report::name_intervals(out);
  if (group == nullptr) return out;
  out.notes = {
      "The best cell is that of the highest median throughput among the campaign's cells with the term, at "
      "whatever number of ranks and whatever the filter hides; cells on fabric null do not count."};
  return out;
}

std::vector<report::Fact> term_facts(const terms::Row& row, const std::vector<SystemAnswers>& systems) {
  std::vector<report::Fact> out{{terms::written(row), ""}};
  for (const ToldOfTerm& told : kToldOfTerm) {
    if (const std::string text = told.text(row); !text.empty()) out.push_back({told.title, text});
  }
  for (const SystemAnswers& system : systems) {
    const TermAnswer& answer = system.terms.at(terms::written(row));
    std::string text = words_of(answer);
    if (answer.kind == TermAnswer::Kind::unknown)
      text += ": the store has neither a launch with it nor what the system claims, which lockstep run records";
    if (answer.kind == TermAnswer::Kind::ran) text += ": launches with it finished";
    if (const std::string proof = proof_words(answer); !proof.empty()) text += "; equal work " + proof;
    if (answer.failed > 0) text += ": " + answer.failure;
    out.push_back({system.system, text});
  }
  return out;
}

}  // namespace lockstep::gui
