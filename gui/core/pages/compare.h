#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gui/core/chart.h"
#include "gui/core/view_state.h"
#include "results/snapshot/compare.h"
#include "results/store/store.h"

namespace lockstep::gui {

/// What two sides came to. Kept, as choosing another of its verdicts changes nothing of it.
struct Compared {
  std::string a, b;           ///< selectors
  int64_t store_version = 0;  ///< Store::data_version when it was computed
  snapshot::CampaignComparison comparison;
};

/// Two sides, the verdict first.
struct Comparison {
  std::string a, b;               ///< selectors that were compared
  std::string verdict;            ///< "A (reference) faster in 3 of 4, ..."; empty: nothing was compared
  std::string words;              ///< why not
  std::vector<std::string> head;  ///< sides, environments, equal work, caution
  std::vector<std::string> foot;  ///< geometric mean, memory, what was left out, how it was decided
  report::Table verdicts;         ///< a row a cell and metric
  report::Table environments;     ///< what differs
  std::string chosen;             ///< key of the verdict that the charts are of
  Chart launches;                 ///< every launch a dot, with a box a side
  Chart distribution;             ///< the shares of launches at or below a value
  std::vector<std::pair<std::string, std::string>> sides;  ///< selectors that can be chosen, and what they are
  std::shared_ptr<const Compared> compared;                ///< null: nothing was
};

/// Sides of the view, else what the campaign offers: two systems of it, else the campaign of the same suite before it.
/// `known`: an earlier one, taken where it is of the same sides and nobody has written to the store since.
Comparison load_comparison(store::Store& store, const ViewState& view,
                           const std::shared_ptr<const Compared>& known = nullptr);

}  // namespace lockstep::gui
