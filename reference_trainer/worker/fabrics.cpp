#include "reference_trainer/worker/fabrics.h"

#include "adapters/contract/failure.h"
#include "reference_trainer/comm/null_transport.h"
#include "reference_trainer/comm/run_ranks.h"
#include "reference_trainer/plan/text/fabric_text.h"

#ifdef LOCKSTEP_MPI
#include "reference_trainer/comm/mpi_transport.h"
#endif

namespace lockstep::worker {
namespace {

void run_threads(Launch& launch) {
  launch.many_ranks_a_process = launch.job.world() > 1;
  comm::run_ranks(launch.job.world(), [&](comm::Transport& transport) { run_rank(launch, transport); });
}

/// Ranks in step at the start only: what is left out is the communication.
void run_null(Launch& launch) {
  launch.many_ranks_a_process = launch.job.world() > 1;
  comm::run_ranks(launch.job.world(), [&](comm::Transport& transport) {
    const auto silent = comm::leave_out_communication(transport);
    run_rank(launch, *silent);
  });
}

#ifdef LOCKSTEP_MPI
void run_mpi(Launch& launch) {
  comm::MpiEnvironment environment;
  if (environment.size() != launch.job.world()) {
    throw Failure("setup",
                  fmt::format("MPI started {} ranks, the job has {}; mpirun -n must be the strategy's ranks, and the "
                              "mpirun on PATH of the library {}",
                              environment.size(), launch.job.world(), environment.library()));
  }
  launch.versions["mpi"] = environment.library();
  launch.versions["mpi_oversubscribed"] = environment.oversubscribed() ? "yes" : "no";
  const auto endpoint = environment.endpoint();
  run_rank(launch, *endpoint);
}
#endif

constexpr FabricRow kFabrics[] = {
    {"", "one rank", run_threads},
    {"threads", "ranks are threads of one process", run_threads},
    {"null", "threads with the communication left out", run_null},
#ifdef LOCKSTEP_MPI
    {"mpi", "ranks are processes that mpirun starts", run_mpi},
#endif
};

}  // namespace

std::span<const FabricRow> fabrics() { return kFabrics; }

const FabricRow& fabric_named(std::string_view text) {
  const std::string name = text.empty() ? "" : text::parse_fabric(text).name;
  std::string known;
  for (const FabricRow& row : kFabrics) {
    if (row.name == name) return row;
    if (!row.name.empty()) known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
  }
  throw Failure("unsupported", fmt::format("fabric {}: this build of the reference trainer has {}", text, known));
}

}  // namespace lockstep::worker
