#include "gui/core/campaign.h"

namespace lockstep::gui {

std::optional<store::CampaignRow> campaign_of(store::Store& store, const ViewState& view) {
  if (store.campaigns().empty()) return std::nullopt;
  return snapshot::resolve(store, snapshot::parse_selector(view.campaign).campaign);
}

std::optional<snapshot::CampaignSnapshot> snapshot_of(store::Store& store, const ViewState& view) {
  const std::optional<store::CampaignRow> campaign = campaign_of(store, view);
  if (!campaign) return std::nullopt;
  return snapshot::load(store, *campaign);
}

std::vector<snapshot::WorkloadGroup> filtered(const std::vector<snapshot::WorkloadGroup>& groups,
                                              const RowFilter& filter) {
  std::vector<snapshot::WorkloadGroup> out = groups;
  for (snapshot::WorkloadGroup& group : out) {
    std::erase_if(group.cells, [&](const snapshot::CellSnapshot& cell) { return !matches(filter, cell.cell); });
  }
  std::erase_if(out, [](const snapshot::WorkloadGroup& group) { return group.cells.empty(); });
  return out;
}

}  // namespace lockstep::gui
