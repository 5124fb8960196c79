#pragma once

#include <string>
#include <vector>

#include "results/snapshot/environment.h"
#include "results/snapshot/metrics.h"
#include "results/snapshot/setups.h"
#include "results/snapshot/snapshot.h"
#include "results/stats/contrast.h"

namespace lockstep::snapshot {

/// What two sides have to do with each other. `builds`: the same cells at two times; ratios are b / a of the metric,
/// above 1 is worse. `systems`: other systems, fabrics or strategies on the same workloads; ratios are speeds, a / b.
enum class Relation : uint8_t { builds, systems };

/// One cell of each side, one metric.
struct Verdict {
  store::CellRow cell_a, cell_b;  ///< the same but for Relation::systems; `text` empty: that side lacks the cell
  std::string metric, unit;
  stats::Estimate a, b;      ///< medians over launches
  stats::Contrast contrast;  ///< q is over all verdicts of the comparison
  bool took_turns = false;   ///< launches of both sides were interleaved, and so paired
  /// "regressed", "improved", "equivalent", "inconclusive"; "faster", "slower", "equal", "cannot tell"; "incomparable":
  /// what must match does not; "unsupported": on both sides, so nothing was asked; "error": a side is missing, failed,
  /// not finite or did other work.
  std::string word;
  std::string reason;  ///< why incomparable, unsupported or error

  /// A's, or B's where A lacks it.
  const store::CellRow& cell() const { return cell_a.text.empty() ? cell_b : cell_a; }
  /// Whether there is a ratio.
  bool weighed() const { return word != "incomparable" && word != "unsupported" && word != "error"; }
};

struct Side {
  std::string selector;
  CampaignSnapshot snapshot;
};

/// The side that a selector names. Failure "usage".
Side load_side(store::Store& store, const std::string& selector);

/// A metric that is left out of a cell: not every system measures it.
struct Unmeasured {
  std::string cell, metric;
  std::string why;  ///< "nobody measured it", "A did not measure it"
};

struct CampaignComparison {
  Side a, b;
  Relation relation = Relation::builds;
  std::vector<std::string> vary;        ///< keys under test
  std::vector<Difference> differences;  ///< of the environments of all compared cells, each once
  std::vector<Verdict> verdicts;        ///< time of every cell, then peak memory of every cell (builds)
  std::vector<Unmeasured> unmeasured;   ///< what has no verdict
  std::vector<LeftOut> left_out;        ///< launches that ran otherwise than the newest ones (builds)
  bool took_turns = false;              ///< all that could be compared did
  stats::Estimate geometric_mean;       ///< of the time ratios of the comparable cells
  int64_t losses = 0, same_losses = 0;  ///< launches of one seed on both sides; of these with the same bits at the end
  double largest_loss_difference = 0;   ///< relative
};

/// Compares cell with cell. Cells with equal text are pairs; where no text is common, those with the same workload and
/// strategy, else the same workload and system, else the same workload. `vary`: environment keys under test; the
/// revision and version of our build always are. Fabric null takes part only against itself.
CampaignComparison compare(store::Store& store, Side a, Side b, std::vector<std::string> vary, double level = 0.95);

/// The same for two builds: only cells with equal text are pairs. Failure "usage" where the sides have none in common.
CampaignComparison compare_builds(store::Store& store, Side a, Side b, std::vector<std::string> vary,
                                  double level = 0.95);

/// Sets q over all verdicts that were weighed, and the words that follow from it.
void settle(std::vector<Verdict>& verdicts, Relation relation);

/// How many verdicts of a metric have the word.
int64_t count(const CampaignComparison& comparison, const std::string& metric, const std::string& word);

}  // namespace lockstep::snapshot
