#pragma once

#include <map>
#include <string>
#include <vector>

#include "gui/core/filter.h"
#include "gui/core/pages/system_answers.h"
#include "reference_trainer/plan/terms/table.h"
#include "results/report/model.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::gui {

/// Cells of a workload by the terms of their strategies: indices into the group's cells, fastest first, those without a
/// median throughput in the group's unit last. Cells on fabric null are left out: without communication they are a
/// measuring device, not a way to train.
using CellsOfTerms = std::map<std::string, std::vector<size_t>>;
CellsOfTerms cells_of_terms(const snapshot::WorkloadGroup& group);

/// A row a term, as `lockstep strategies` has them; then for each system whether it works, what the proofs say, and the
/// best cell with the term among `group`'s (median throughput with its interval; null: there is no campaign).
report::Table terms_table(const std::vector<SystemAnswers>& systems, const snapshot::WorkloadGroup* group);

/// What the table says of one row, a line a fact.
std::vector<report::Fact> term_facts(const terms::Row& row, const std::vector<SystemAnswers>& systems);

/// The results of the cells with a written term that the filter leaves, fastest first.
report::Table term_results(const snapshot::WorkloadGroup& group, const std::string& term, const RowFilter& filter,
                           int64_t campaign);

}  // namespace lockstep::gui
