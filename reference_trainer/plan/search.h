#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reference_trainer/graph/graph.h"
#include "reference_trainer/plan/text/strategy.h"
#include "reference_trainer/plan/work.h"

namespace lockstep::plan {

/// A strategy that was looked at, and what it would need.
struct Candidate {
  text::Strategy strategy;
  int64_t peak_bytes = 0;  ///< of the rank that needs most
  int64_t sent_bytes = 0;  ///< in a step, of the rank that sends most
  double bubble = 0;       ///< idle share of a step, stages as the planner cuts them, by FLOPs
  std::string kind;        ///< of the refusal: "unsupported"; "too_large" where it does not fit; empty: legal, and fits
  std::string reason;

  bool legal() const { return kind.empty() || kind == "too_large"; }
};

struct Search {
  std::vector<Candidate> candidates;  ///< those that fit, then those that do not, by (peak, sent, bubble); then refused
  std::vector<std::string> idle_axes;  ///< axes that split nothing in this workload, with the reason
  int not_tried = 0;                   ///< beyond kMostCandidates
};

inline constexpr int kMostCandidates = 500;

/// Every mesh of so many ranks over the axes that split something in this workload, each alone and with the passes that
/// act on it: sp beside tp, zero1 to zero3 beside dp, 1f1b with four microbatches a stage on pp, four microbatches one
/// after the other elsewhere, or as many as there are samples for. Legal ones with 1f1b are tried with zb_h1 and
/// interleaved:v=2 too, and what is too large with recompute:full. `fit_bytes`: what a rank may need; 0: any. A mesh
/// that is refused alone is not tried with passes. Takes up to some tens of milliseconds a strategy, on all processors;
/// `progress` hears on the caller's thread how many were looked at.
Search search(const graph::Graph& forward, int ranks, const Work& work, int64_t fit_bytes,
              const std::function<void(size_t looked_at)>& progress = {});

}  // namespace lockstep::plan
