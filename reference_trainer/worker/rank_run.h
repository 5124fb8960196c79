#pragma once

#include <map>
#include <string>

#include "adapters/contract/job.h"
#include "reference_trainer/comm/transport.h"
#include "reference_trainer/plan/plan.h"
#include "reference_trainer/worker/worker_options.h"
#include "workloads/data/workload.h"

namespace lockstep::worker {

/// What all ranks of a process share, read-only.
struct Launch {
  contract::Job job;
  workloads::Workload workload;
  graph::Graph graph;  ///< forward; each rank plans its own part of it
  text::Strategy strategy;
  WorkerOptions options;
  std::map<std::string, std::string> versions;
  bool many_ranks_a_process = false;  ///< then the first rank alone reports the process's memory
};

/// Reads and checks a job, and plans it. Throws Failure.
Launch prepare(const std::string& job_file);

/// One rank's life, from hello to done; events go to the run folder. Failures are written as events and thrown again.
void run_rank(const Launch& launch, comm::Transport& transport);

}  // namespace lockstep::worker
