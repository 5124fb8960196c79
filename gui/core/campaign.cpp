#include "gui/core/campaign.h"

#include "gui/core/filter.h"
#include "results/report/breakdowns.h"

namespace lockstep::gui {

std::optional<store::CampaignRow> campaign_of(store::Store& store, const ViewState& view) {
  if (store.campaigns().empty()) return std::nullopt;
  return snapshot::resolve(store, snapshot::parse_selector(view.campaign).campaign);
}

std::optional<snapshot::CampaignSnapshot> snapshot_of(store::Store& store, const ViewState& view) {
  const std::optional<store::CampaignRow> campaign = campaign_of(store, view);
  if (!campaign) return std::nullopt;
  const RowFilter filter = parse_row_filter(view.filter);
  snapshot::CampaignSnapshot out = snapshot::load(store, *campaign);
  report::add_breakdowns(store, store.path(), out);
  for (snapshot::WorkloadGroup& group : out.groups) {
    std::erase_if(group.cells, [&](const snapshot::CellSnapshot& cell) { return !matches(filter, cell.cell); });
  }
  std::erase_if(out.groups, [](const snapshot::WorkloadGroup& group) { return group.cells.empty(); });
  return out;
}

size_t look_of(const snapshot::WorkloadGroup& group, const std::string& cell) {
  for (size_t i = 0; i < group.cells.size(); ++i) {
    if (group.cells[i].cell.text == cell) return i;
  }
  return group.cells.size();
}

}  // namespace lockstep::gui
