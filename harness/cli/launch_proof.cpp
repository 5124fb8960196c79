#include "harness/cli/launch_proof.h"

namespace lockstep::cli {

store::ProofRow launch_proof(store::Store& store, const store::LaunchRow& launch) {
  if (launch.environment.empty()) return {};
  const auto proofs = store.proofs(launch.cell, launch.environment);
  return proofs.empty() ? store::ProofRow{} : proofs.front();
}

}  // namespace lockstep::cli
