#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adapters/contract/proof.h"
#include "harness/suite/cells.h"
#include "results/store/store.h"

namespace lockstep::verify {

/// The cell that another one's work is compared with: the reference trainer, serial, on the same workload, and with the
/// same rounding where the strategy has 16-bit numbers.
std::string reference_cell(const std::string& workload, const std::string& strategy);
inline std::string reference_cell(const suite::PlannedCell& cell) {
  return reference_cell(cell.workload, cell.strategy);
}

/// True for cells that have work to prove: not on fabric null, which leaves the communication out on purpose, and not
/// for strategies whose updates are others than the serial run's.
bool has_proof(const suite::PlannedCell& cell);
bool has_proof(const store::CellRow& cell);

/// The newest proof of a cell that was made in the environment that a launch would have now. `environment` is the JSON
/// of before the start: what workers say of themselves is not part of the question.
std::optional<store::ProofRow> known_proof(store::Store& store, const std::string& cell,
                                           const std::string& environment);

/// The cells whose proof has to be made before they are timed, the reference's own first; each once. `again`: all of
/// them, whatever the store has.
std::vector<std::string> missing_proofs(store::Store& store, const std::vector<suite::PlannedCell>& cells,
                                        const std::map<std::string, std::string>& environment_of_system, bool again);

/// Compares a finished verify launch of `cell` with the newest finished one of its reference cell: held, failed, or
/// not made with the reason. The proof's time is that of the launch's end: when the evidence was made.
store::ProofRow judge(store::Store& store, const store::CellRow& cell, const workloads::Workload& workload,
                      const store::LaunchRow& launch);

/// Judges the launch and records the proof.
store::ProofRow prove(store::Store& store, const suite::PlannedCell& cell, const store::LaunchRow& launch);

/// Judges the verify launches that came without a proof, as run folders and launch files do: by what the store has of
/// their work and of the workload as it was when they ran. What could not be proved is judged again, as its reference
/// may have come since. How many proofs were recorded; again changes nothing.
int64_t prove_imported(store::Store& store);

/// A verify launch as the store has it.
contract::WorkRecord work_record(store::Store& store, const std::string& launch);

}  // namespace lockstep::verify
