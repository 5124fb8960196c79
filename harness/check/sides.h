#pragma once

#include <string>
#include <vector>

#include "results/snapshot/compare.h"
#include "results/snapshot/selector.h"

namespace lockstep::check {

inline constexpr int64_t kPool = 24;  ///< launches of a cell, until change points say where the baseline's segment is

/// The stored campaigns that a baseline means. A campaign that is named by its number or tag is meant alone; a build
/// means all that ran with it.
struct Baseline {
  snapshot::Selector selector;
  std::vector<store::CampaignRow> campaigns;  ///< newest first; one at least

  std::string text() const { return snapshot::to_text(selector); }
};

/// `suite`: where the selector names a build, its campaigns of this suite; empty: of the newest one's. Failure "usage".
Baseline find_baseline(store::Store& store, const std::string& selector, const std::string& suite);

/// Texts of its cells, without those that its filter leaves out.
std::vector<std::string> cells_of(store::Store& store, const Baseline& baseline);

/// Its newest kPool launches of each cell.
snapshot::Side load(store::Store& store, const Baseline& baseline);

/// The stored campaign that is checked, as far as the baseline's filter takes it; of a build, and without a selector,
/// the newest one of the suite. Failure "usage" where that is the baseline itself.
snapshot::Side stored_candidate(store::Store& store, const std::string& selector, const std::string& suite,
                                const Baseline& baseline);

}  // namespace lockstep::check
