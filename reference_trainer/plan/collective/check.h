#pragma once

#include <string>

#include "reference_trainer/plan/collective/program.h"

namespace lockstep::collective {

/// Proves by symbolic execution that the program does its operation: every chunk ends with each contribution exactly
/// once at each holder, each send meets a recv of the same chunks, no chunk is sent and received in one round, and the
/// program progresses without any buffering (a message moves only when both sides are in their rounds: rendezvous).
///
/// Returns an empty text, or what is wrong, all blocked ranks and the program's picture.
std::string check(const Program&);

}  // namespace lockstep::collective
