#pragma once

#include <string>
#include <vector>

#include "results/snapshot/snapshot.h"
#include "results/stats/contrast.h"

namespace lockstep::snapshot {

/// A sentence that a campaign's table supports: cell `a` against cell `b` in speed, a / b above 1 is faster.
struct Comparison {
  enum class Kind : uint8_t {
    systems,  ///< one rank each, the same work: "faster", "slower"
    ranks,    ///< several ranks against the system's own serial cell: "gains", "loses"
    fabrics,  ///< the same strategy on two fabrics, the later one in the campaign against the earlier
    variants  ///< a command of the user's own in variant B against variant A: "faster", "slower"
  } kind = Kind::systems;
  std::string workload;
  store::CellRow a, b;
  stats::Contrast contrast;
  std::string word;
};

/// Which cells of a campaign are compared, before or after it ran: indices into `cells`. Fabric null takes no part.
struct CellsToCompare {
  Comparison::Kind kind = Comparison::Kind::systems;
  size_t a = 0, b = 0;
};
std::vector<CellsToCompare> to_compare(const std::vector<store::CellRow>& cells);

/// All comparisons of a snapshot as one family: their q-values are over all of them. Fabric null takes no part. Cells
/// without a finished launch are left out, and those that do other work (their proof failed): they are rows with a
/// reason in the table. The margin is that of the metric time (metrics.h), its floor as a share of the step of `b`.
std::vector<Comparison> comparisons(const CampaignSnapshot& snapshot, double level = 0.95);

}  // namespace lockstep::snapshot
