#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/snapshot/breakdown.h"
#include "results/snapshot/loss_curve.h"
#include "results/snapshot/quality.h"
#include "results/snapshot/selector.h"
#include "results/stats/estimate.h"
#include "results/store/store.h"

/// Values read from the store for a report or a page. Every figure that is shown anywhere is computed here, once, from
/// raw samples. Only launches of mode `time` with status `finished` enter statistics, and those of mode `converge` that
/// of quality.
namespace lockstep::snapshot {

/// What one launch measured. NaN where a series that is needed is missing or does not fit the others.
struct LaunchFigures {
  std::string id;
  int64_t number = 0, block = 0, repetition = 0;
  std::string environment;  ///< hash
  int64_t threads = 0;      ///< a rank
  int64_t warmup = 0;       ///< steps before the timed region
  int64_t started_utc_ns = 0;
  int64_t steps = 0;                ///< of the timed region; of the rank that made most
  int64_t samples = 0, tokens = 0;  ///< real ones of all ranks in the timed region
  bool counts_steps = false;        ///< nobody knows the samples (the series is all zero): each step counts as one
  double samples_per_s = 0;         ///< real samples of all ranks / (max over ranks of end - start), warm-up left out
  double tokens_per_s = 0;          ///< 0 where the workload has no tokens
  double step_s = 0;                ///< steady time / steps of the timed region
  double region_s = 0;              ///< length of the timed region
  double peak_memory_bytes = 0;     ///< sum over processes of each one's peak PSS (RSS where PSS is unknown)
  double bytes_sent = 0;            ///< mean per rank and step of the timed region
  double messages = 0;              ///< the same
  bool has_loss = false;
  double first_loss = 0;  ///< of the first step, warm-up included; weighted mean over ranks
  double last_loss = 0;
  std::string problem;  ///< why throughput is NaN; empty where it is not
};

/// Launches of a cell that did not finish, with one reason in common.
struct Reason {
  store::LaunchStatus status = store::LaunchStatus::failed;
  std::string kind, message;
  int64_t count = 0;
  int64_t launch = 0;  ///< number of the first one: what `show` takes
};

struct StatusCounts {
  int64_t planned = 0, running = 0, finished = 0, failed = 0, skipped = 0, interrupted = 0;
  int64_t total() const { return planned + running + finished + failed + skipped + interrupted; }
};

/// An efficiency, and what it is against. `base` is empty where there is no such cell; `why_not` says so in words.
struct Efficiency {
  stats::Estimate estimate;
  std::string base;  ///< cell text
  bool paired = false;
  std::string why_not;
};

struct CellSnapshot {
  store::CellRow cell;
  std::string workload_id, preset;      ///< "gpt-austen", "tiny"
  bool is_base = false;                 ///< the serial cell of its system: efficiencies are against it
  bool is_copies = false;               ///< on fabric null: a measuring device, not a way to train
  StatusCounts counts;                  ///< of mode time
  std::vector<Reason> reasons;          ///< of modes time and converge, most frequent first
  std::vector<LaunchFigures> launches;  ///< finished, mode time, by block and number
  bool tokens = false;                  ///< throughput is in tokens/s, else samples/s
  bool counts_steps = false;            ///< else steps/s: in each launch a step counts as one sample
  stats::Estimate throughput;           ///< median over launches with its interval
  stats::Estimate step_s;               ///< the same
  stats::Estimate peak_memory_bytes;
  double bytes_sent = 0;                 ///< per rank and step, median over launches; NaN: not measured
  double messages = 0;                   ///< the same
  bool bytes_modelled = false;           ///< by a model (series unit "~B"), not counted
  double first_loss = 0, last_loss = 0;  ///< medians over launches
  LossCurve loss_curve;                  ///< of the first finished launch that has one
  Quality quality;                       ///< of mode converge
  Breakdown breakdown;                   ///< of a recorded launch; set by those who can read its trace
  Efficiency against_serial;             ///< throughput / (ranks x the serial cell's), same system and workload
  Efficiency against_copies;             ///< throughput / that of the same strategy on fabric null
  store::ProofState proof = store::ProofState::none;
  std::string proof_reason;
  std::vector<std::string> marks;  ///< of its launches, each once
};

/// Cells of one workload text, in the order of the campaign's first launches.
struct WorkloadGroup {
  std::string workload;
  int64_t steps = 0, warmup = 0;
  bool counts_steps = false;             ///< the samples of a step are not known in some cell: each counts as one
  double batch_samples = 0;              ///< real samples a step of all ranks, over the timed region
  double batch_tokens = 0;               ///< 0 without tokens
  double first_loss = 0, last_loss = 0;  ///< medians over launches, but on fabric null or of other work
  double largest_spread = 0;             ///< over blocks: max - min of the last loss between cells; NaN: no such block
  std::vector<CellSnapshot> cells;
};

struct CampaignSnapshot {
  store::CampaignRow campaign;
  Filter filter;
  StatusCounts counts;                    ///< of all launches that passed the filter, any mode
  int64_t blocks = 0;                     ///< different blocks of mode time
  std::vector<std::string> environments;  ///< hashes, each once
  std::vector<WorkloadGroup> groups;
};

/// Levels of intervals are at least `level` where n can carry it; each estimate says its own.
CampaignSnapshot load(store::Store& store, const store::CampaignRow& campaign, const Filter& filter = {},
                      double level = 0.95);

/// The figures of one launch from its series and processes.
LaunchFigures figures(const store::LaunchRow& launch, const std::vector<store::SeriesRow>& series,
                      const std::vector<store::ProcessRow>& processes);

}  // namespace lockstep::snapshot
