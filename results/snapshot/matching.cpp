#include "results/snapshot/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "adapters/contract/failure.h"

namespace lockstep::snapshot {

namespace {

using Key = std::string (*)(const store::CellRow&);

std::string by_strategy(const store::CellRow& c) { return c.workload + " " + c.strategy; }
std::string by_system(const store::CellRow& c) { return c.workload + " " + c.system; }
std::string by_workload(const store::CellRow& c) { return c.workload; }

std::vector<CellPair> pairs_by(const CampaignSnapshot& a, const CampaignSnapshot& b, Key key) {
  std::vector<CellPair> out;
  for (const CellSnapshot* ours : cells_of(a)) {
    for (const CellSnapshot* theirs : cells_of(b)) {
      const bool copies = ours->is_copies || theirs->is_copies;
      if (!copies && key(ours->cell) == key(theirs->cell)) out.push_back({ours, theirs});
    }
  }
  return out;
}

const CellSnapshot* cell_with(const CampaignSnapshot& snapshot, const std::string& text) {
  const std::vector<const CellSnapshot*> all = cells_of(snapshot);
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto* cell) { return cell->cell.text == text; });
  return found == all.end() ? nullptr : *found;
}

std::string some_of(const std::vector<std::string>& cells) {
  if (cells.empty()) return "none";
  return cells.front() + (cells.size() > 1 ? fmt::format(" and {} more", cells.size() - 1) : "");
}

}  // namespace

std::vector<const CellSnapshot*> cells_of(const CampaignSnapshot& snapshot) {
  std::vector<const CellSnapshot*> out;
  for (const WorkloadGroup& group : snapshot.groups) {
    for (const CellSnapshot& cell : group.cells) out.push_back(&cell);
  }
  return out;
}

std::vector<CellPair> equal_cells(const CampaignSnapshot& a, const CampaignSnapshot& b) {
  std::vector<CellPair> both, only_a, only_b;
  for (const CellSnapshot* cell : cells_of(a)) {
    const CellSnapshot* theirs = cell_with(b, cell->cell.text);
    (theirs != nullptr ? both : only_a).push_back({cell, theirs});
  }
  for (const CellSnapshot* cell : cells_of(b)) {
    if (cell_with(a, cell->cell.text) == nullptr) only_b.push_back({nullptr, cell});
  }
  both.insert(both.end(), only_a.begin(), only_a.end());
  both.insert(both.end(), only_b.begin(), only_b.end());
  return both;
}

std::vector<CellPair> related_cells(const CampaignSnapshot& a, const CampaignSnapshot& b) {
  for (const Key key : {by_strategy, by_system, by_workload}) {
    std::vector<CellPair> found = pairs_by(a, b, key);
    if (!found.empty()) return found;
  }
  return {};
}

void require_common_cell(const std::string& a, const std::vector<std::string>& cells_a, const std::string& b,
                         const std::vector<std::string>& cells_b) {
  const std::set<std::string> known(cells_a.begin(), cells_a.end());
  const auto is_known = [&](const std::string& text) { return known.contains(text); };
  if (std::any_of(cells_b.begin(), cells_b.end(), is_known)) return;
  refuse({"", "", fmt::format("{} against {}", b, a),
          fmt::format("no cell in common: {} has {}; {} has {}", a, some_of(cells_a), b, some_of(cells_b)),
          "take the suite that the baseline ran, or a baseline that ran this suite (lockstep list)"});
}

}  // namespace lockstep::snapshot
