#pragma once

namespace lockstep {

/// What a command ends with (docs/errors.md).
enum ExitCode : int { kFine = 0, kDecidedAgainst = 1, kUsage = 2, kFailed = 3, kInconclusive = 4, kInterrupted = 130 };

}  // namespace lockstep
