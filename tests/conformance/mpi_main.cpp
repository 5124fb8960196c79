// One rank under mpirun -n N: every workload's micro preset in fp64 with dpN, and GPTs with other ways to split them
// over N ranks, equal the serial run, or the serial model of stale weights, which each rank makes for itself. Exit
// code 0: equal, 1: not, 77: skipped, as data are missing.
#include <fmt/format.h>

#include <cstdio>

#include "adapters/contract/failure.h"
#include "reference_trainer/comm/mpi_transport.h"
#include "reference_trainer/plan/terms/check.h"
#include "tests/conformance/stale_model.h"
#include "tests/conformance/training_run.h"

namespace lockstep::conformance {
namespace {

constexpr int kSkipped = 77;

struct Case {
  const char *workload, *strategy;
};

/// What N ranks can do besides dpN.
std::vector<Case> cases_of(int ranks) {
  switch (ranks) {
    case 2:
      return {{"gpt-austen", "tp2/sp"},
              {"gpt-austen", "cp2"},
              {"gpt-austen", "pp2/1f1b:m=4"},
              {"gpt-austen", "pp2/1f1b:m=3/amp:bf16"},
              {"gpt-austen", "tp2/amp:fp16/sp"},
              {"gpt-austen", "pp2/chimera:m=2"},
              {"gpt-austen", "dp2/zero3"},
              {"cnn-fashion", "dp2/layout:one_weird_trick"},
              {"moe-gpt", "ep2"},
              {"dlrm", "ep2"}};
    case 3:
      return {{"gpt-austen", "dp3/zero2"},
              {"cnn-fashion", "dp3/layout:sfb"},
              {"gpt-austen", "pp3/zb_h1:m=3"},
              {"moe-gpt", "ep3"},
              {"dlrm", "ep3"}};
    case 4:
      return {{"gpt-austen", "pp2.tp2/interleaved:m=2,v=2/sp"},
              {"gpt-austen", "dp2.cp2/zero1"},
              {"gpt-austen", "dp4/hsdp:group=2"},
              {"cnn-fashion", "dp2.tp2/layout:grid15d"},
              {"moe-gpt", "dp2.ep2/zero1"}};
    default:
      return {};
  }
}

/// Without a flush, on workloads without tied weights.
std::vector<std::string> stale_strategies_of(int ranks) {
  switch (ranks) {
    case 2:
      return {"pp2/pipedream:weights=stash", "pp2/pipedream:m=2,weights=2bw"};
    case 3:
      return {"pp3/pipedream:weights=vertical"};
    case 4:
      return {"pp2.dp2/pipedream:weights=predict"};
    default:
      return {};
  }
}

bool equal(const std::string& id, const std::string& strategy, comm::MpiEnvironment& environment) {
  const bool stale = !terms::equals_serial(text::parse_strategy(strategy));
  const Setting setting(
      id, "micro", stale ? std::vector<std::string>{"steps=40", "clip=none"} : std::vector<std::string>{"steps=40"});
  const TrainingRun serial = stale ? train_stale_model(setting, strategy) : setting.serial_run(strategy);
  const auto endpoint = environment.endpoint();
  const TrainingRun run = setting.train<double>(strategy, *endpoint, "naive");
  const double rate = setting.workload().recipe.lr * static_cast<double>(setting.workload().steps);
  const double losses = largest_loss_difference(serial, run), norms = largest_norm_difference(serial, run);
  const double parameters = largest_difference(serial, run, rate);
  if (environment.rank() == 0) {
    fmt::print("{} {} on mpi: losses {:.1e}, gradient norms {:.1e}, parameters {:.1e}\n", id, strategy, losses, norms,
               parameters);
  }
  return losses < kBound && norms < kBound && parameters < kBound;
}

/// Every rank looks for the same data, so all of them skip, or none. An exception that leaves the environment would
/// end the launch with MPI's own exit code.
int run() {
  comm::MpiEnvironment environment;
  try {
    bool all = true;
    for (const char* id : {"mlp-digits", "mlp-fashion", "cnn-fashion", "gpt-austen", "lstm-austen"})
      all = equal(id, fmt::format("dp{}", environment.size()), environment) && all;
    for (const Case& c : cases_of(environment.size())) all = equal(c.workload, c.strategy, environment) && all;
    for (const std::string& strategy : stale_strategies_of(environment.size()))
      all = equal("mlp-digits", strategy, environment) && all;
    return all ? 0 : 1;
  } catch (const Failure& failure) {
    if (failure.kind() != "data_missing") throw;
    if (environment.rank() == 0) fmt::print("skipped: {}\n", failure.what());
    return kSkipped;
  }
}

}  // namespace
}  // namespace lockstep::conformance

int main() {
  try {
    return lockstep::conformance::run();
  } catch (const lockstep::Failure& failure) {
    std::fprintf(stderr, "failed: %s: %s\n", failure.kind().c_str(), failure.what());
    return 1;
  }
}
