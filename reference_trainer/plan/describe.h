#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reference_trainer/plan/peak.h"
#include "reference_trainer/plan/plan.h"
#include "reference_trainer/plan/work.h"

namespace lockstep::plan {

/// Where a model lies along its pipeline axis; without one there is one place. Its numbers are those of its first rank,
/// which has the most samples and the largest parts.
struct PlaceView {
  std::vector<int> ranks;
  std::vector<int> stages;
  std::string contents;    ///< "embed (tied), layers 0-1"
  int64_t parameters = 0;  ///< that a rank keeps, as numbers
  MemoryPlan memory;
  int versions = 1;           ///< of the parameters that a rank keeps, a prediction with them
  int in_flight = 1;          ///< microbatches whose activations a rank holds at once, of all its stages together
  int64_t sent = 0;           ///< bytes of a rank in a step, without `control`
  int64_t control = 0;        ///< bytes that say whether the losses are finite, and norms
  std::string fill, actions;  ///< before the first step of a pipeline without a flush; of a step
  std::vector<std::string> layouts;  ///< "fc1: [batch/dp, hidden 256]", one a tensor of the forward pass
  std::vector<std::string> origins;  ///< where each collective comes from
};

/// One kind of communication in a step, as a rank of each place does it.
struct ExchangeLine {
  struct Calls {
    std::map<int64_t, int64_t> sizes;  ///< calls by bytes of the buffer
    int64_t sent = 0;                  ///< in a step
    int64_t count() const;
    int64_t bytes() const;  ///< of the buffers of all calls together
  };
  std::string operation;  ///< "all_reduce gradients"
  std::string axis;       ///< "dp", "dp.tp"
  std::string algorithm, why;
  std::vector<Calls> places;  ///< by place
};

/// A pipeline's schedule in a step.
struct PipelineView {
  std::string schedule;  ///< "1f1b"
  std::string picture;
  double forward = 1, backward = 2, makespan = 0;  ///< of a step, in units of the picture
  bool splits_backward = false;                    ///< I and W, a unit each, in place of B
  std::string formula;                             ///< of idle time, in words
  bool formula_of_equal_passes = false;            ///< it holds where F = B, not for the units of the picture
  double bubble = 0;         ///< idle share of the step with equal stages; of zero bubble of the longest rank's
  double uneven_bubble = 0;  ///< with the FLOPs of these stages
  double of_ideal() const { return bubble / (1 - bubble); }
};

/// What a plan does in a step: the model of `lockstep plan`.
struct Description {
  std::string strategy;
  int ranks = 1, data_ranks = 1, microbatches = 1;
  std::string data_axes;         ///< "dp", "dp.ep": the axes that samples are dealt out over
  int64_t batch = 0;             ///< samples of the global batch
  int64_t most = 0, fewest = 0;  ///< samples of a rank
  int64_t parameters = 0;
  int64_t model_flops = 0;                  ///< of a step of the whole job: GEMMs times 3
  graph::Type storage = graph::Type::real;  ///< of activations between ops, see Plan
  std::vector<std::string> groups;          ///< "dp {0,1}"
  std::vector<PlaceView> places;
  std::vector<ExchangeLine> exchanges;
  std::optional<PipelineView> pipeline;

  int64_t largest_microbatch() const { return (most + microbatches - 1) / microbatches; }
  int64_t smallest_microbatch() const { return fewest / microbatches; }
  /// Of the ranks that need and send most.
  int64_t peak_bytes() const;
  int64_t sent_bytes() const;
};

/// Makes the plan of the first rank of each place, and describes them. Pure; throws as make_plan does.
Description describe(const graph::Graph& forward, const text::Strategy& strategy, const Work& work);

/// A schedule with equal stages, for which no workload is needed.
PipelineView pipeline_view(const schedule::Schedule& schedule);

/// The first rank of each place of the pipeline axis.
std::vector<int> first_ranks(const Mesh& mesh);

/// Idle share of a step of a pipeline: its stages equal, or with the FLOPs of the plan's. 0 without one. Without a
/// flush that of a step once the pipeline is full, which takes as long as the slowest stage: the others wait for it.
double idle_share(const Plan& plan, bool equal_stages);

}  // namespace lockstep::plan
