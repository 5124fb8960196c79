#pragma once

#include <optional>
#include <string>

#include "gui/core/filter.h"
#include "gui/core/view_state.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::gui {

/// What a store without a campaign is told as.
inline constexpr const char* kNoCampaign =
    "This store has no campaign yet. Run > Start a suite makes one, or in a terminal: lockstep run quickstart";

/// The campaign that the view names; nothing in a store without any. Throws Failure("usage") where it names none.
std::optional<store::CampaignRow> campaign_of(store::Store& store, const ViewState& view);

/// The same with its figures. Nothing is filtered: everything is computed
/// of the whole campaign first, so that hiding a cell changes no other number.
std::optional<snapshot::CampaignSnapshot> snapshot_of(store::Store& store, const ViewState& view);

/// The cells that match, in workloads that have some.
std::vector<snapshot::WorkloadGroup> filtered(const std::vector<snapshot::WorkloadGroup>& groups,
                                              const RowFilter& filter);

}  // namespace lockstep::gui
