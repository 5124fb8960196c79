#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adapters/contract/proof.h"
#include "harness/suite/cells.h"
#include "results/store/store.h"

namespace lockstep::verify {

/// The cell that another one's work is compared with: the reference trainer, serial, on the same workload.
std::string reference_cell(const suite::PlannedCell& cell);

/// True for cells that have work to prove: not on fabric null, which leaves the communication out on purpose, and not
/// for strategies whose updates are others than the serial run's.
bool has_proof(const suite::PlannedCell& cell);

/// The newest proof of a cell that was made in the environment that a launch would have now. `environment` is the JSON
/// of before the start: what workers say of themselves is not part of the question.
std::optional<store::ProofRow> known_proof(store::Store& store, const std::string& cell,
                                           const std::string& environment);

/// The cells whose proof has to be made before they are timed, the reference's own first; each once. `again`: all of
/// them, whatever the store has.
std::vector<std::string> missing_proofs(store::Store& store, const std::vector<suite::PlannedCell>& cells,
                                        const std::map<std::string, std::string>& environment_of_system, bool again);

/// Compares a finished verify launch of `cell` with the newest finished one of its reference cell, and records the
/// proof - held, failed, or not made with the reason.
store::ProofRow prove(store::Store& store, const suite::PlannedCell& cell, const store::LaunchRow& launch);

/// A verify launch as the store has it.
contract::WorkRecord work_record(store::Store& store, const std::string& launch);

}  // namespace lockstep::verify
