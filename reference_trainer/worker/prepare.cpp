#include "adapters/contract/failure.h"
#include "reference_trainer/graph/build.h"
#include "reference_trainer/plan/terms/recipe.h"
#include "reference_trainer/plan/text/strategy.h"
#include "reference_trainer/worker/rank_run.h"

namespace lockstep::worker {

Launch prepare(const std::string& job_file) {
  Launch launch;
  launch.job = contract::read_job(job_file);
  launch.options = parse_options(launch.job.options);
  launch.workload = workloads::workload_from_json(launch.job.workload, job_file);
  const Faults faults = fault_named(launch.options.fault);
  launch.workload.recipe.weight_decay += faults.weight_decay;
  launch.workload.recipe.momentum *= faults.momentum_factor;
  launch.workload.recipe.beta1 *= faults.momentum_factor;

  launch.strategy = text::parse_strategy(launch.job.strategy);
  if (text::ranks(launch.strategy) != launch.job.world()) {
    refuse({job_file, "/ranks", std::to_string(launch.job.world()),
            fmt::format("strategy {} has {} ranks", launch.job.strategy, text::ranks(launch.strategy)), ""});
  }
  launch.graph = graph::build(launch.job.workload);
  const workloads::Recipe& recipe = launch.workload.recipe;
  terms::refuse_recipe(launch.strategy, {recipe.clip.has_value(), workloads::has_rates_by_tensor(recipe.optimizer),
                                         workloads::keeps_velocity(recipe.optimizer)});
  plan::make_plan(launch.graph, launch.strategy);  // what cannot be planned fails before any rank lives
  return launch;
}

}  // namespace lockstep::worker
