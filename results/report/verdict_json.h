#pragma once

#include "results/json/writer.h"
#include "results/snapshot/compare.h"

namespace lockstep::report {

/// The members that a verdict has wherever it is printed: ratio, interval, level, n, paired, margin, p, q,
/// launches_needed. Those that could not be computed are absent, and `refused` says why.
void write_contrast(json::Writer& out, const stats::Contrast& contrast);

/// The members of a verdict, into an object that is open.
void write_verdict(json::Writer& out, const snapshot::Verdict& verdict);

/// What has no verdict, and launches that took no part: `unmeasured[]`, `left_out[]`.
void write_omissions(json::Writer& out, const snapshot::CampaignComparison& comparison);

}  // namespace lockstep::report
