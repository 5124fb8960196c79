#pragma once

#include <string>
#include <vector>

#include "reference_trainer/plan/describe.h"
#include "results/report/model.h"

namespace lockstep::gui {

/// What `lockstep plan WORKLOAD STRATEGY` prints, as tables.
struct StepPlan {
  std::vector<std::string> lines;  ///< model, batch, FLOPs, where the stages lie, groups of ranks
  report::Table sent;              ///< a row a kind of communication; no rows: nothing is sent
  report::Table memory;            ///< a row a place of the pipeline
  std::vector<std::string> words;  ///< what is beside the tables: idle share with the FLOPs of these stages
};

/// `heading`: of the workload (workloads::heading_lines).
StepPlan step_plan(const plan::Description& description, std::vector<std::string> heading);

}  // namespace lockstep::gui
