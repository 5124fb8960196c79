#pragma once

#include <string>
#include <vector>

#include "reference_trainer/plan/schedule/schedule.h"

namespace lockstep::schedule {

/// Proves that a schedule does its work: every (stage, microbatch) has one F and one B (or one I and one W), each on
/// the rank where the stage lies, in order; every border between ranks has one send and one receive, and those of each
/// pair of ranks match in order; all ranks progress when a transfer needs both sides at once (rendezvous, no
/// buffering); and no rank holds more activations than `bound` says (by rank; empty: no bound).
///
/// Lists without any transfer are checked too, as if results crossed borders by themselves.
///
/// Returns an empty text, or what is wrong, all blocked ranks with what each waits for, and the picture.
std::string check(const Schedule&, const std::vector<int>& bound = {});

}  // namespace lockstep::schedule
