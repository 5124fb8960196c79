#pragma once

#include <string>

#include "gui/core/view_state.h"
#include "tests/results/campaign_fixture.h"

namespace lockstep::gui::testing {

inline const std::string kWorkload = "mlp-fashion:micro";

/// A cell of kWorkload with its resolved graph and recipe, as `lockstep run` stores it.
store::CellRow planned_cell(const std::string& system, const std::string& strategy, const std::string& fabric,
                            int64_t ranks);

/// The campaign of all tests: the reference on serial, dp2, a pipeline and, failing, on tp2; pytorch on serial and dp2;
/// dp2 on fabric null, which is fastest and counts nowhere. Proofs: dp2 held, the pipeline failed. The claims of
/// pytorch are known where `claims` is set.
void fill(snapshot::testing::Campaign& campaign, bool claims);

/// The view of the page.
ViewState strategies_view();

/// The value of a column in the row of a term; fails the test where there is none.
report::Value entry_of(const report::Table& table, const std::string& term, const std::string& column);
/// What is shown of it.
std::string value_of(const report::Table& table, const std::string& term, const std::string& column);

}  // namespace lockstep::gui::testing
