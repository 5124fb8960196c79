#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "results/report/pivot.h"

/// Which cell of a campaign stands where in a pivot.
namespace lockstep::report {

using Cells = std::vector<const snapshot::CellSnapshot*>;

/// What rows and columns may be.
struct PivotKey {
  const char* name;
  std::string (*of)(const snapshot::CellSnapshot&);
  const char* agree;  ///< keys in which a cell agrees with its base when this key is the base's
};
std::span<const PivotKey> pivot_keys();
const PivotKey& pivot_key(const std::string& name);

/// Whether two cells agree in what makes one the base of the other, `key` left aside.
bool agree_but_for(const PivotKey& key, const snapshot::CellSnapshot& a, const snapshot::CellSnapshot& b);

/// Cells of one table.
struct PivotPage {
  std::string name;
  Cells cells;
};
std::vector<PivotPage> pivot_pages(const snapshot::CampaignSnapshot& snapshot, const PivotRequest& request);

struct PivotGrid {
  std::vector<std::string> rows, cols;  ///< in order of appearance, ranks by size
  std::map<std::pair<std::string, std::string>, const snapshot::CellSnapshot*> places;
};
/// Rows are named by their key, and as many others as it takes for no two cells to share a place.
PivotGrid pivot_grid(const Cells& cells, const PivotRequest& request);

}  // namespace lockstep::report
