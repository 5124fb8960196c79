#pragma once

#include <string>
#include <vector>

#include "harness/run/conduct.h"
#include "results/snapshot/compare.h"

namespace lockstep::check {

/// One cell and metric of the gate. The verdict's word is one of "regressed", "improved", "equivalent", "inconclusive",
/// "suspicious" (stored data alone, or nothing to confirm with), "incomparable", "unsupported", "error".
struct Item {
  snapshot::Verdict verdict;
  bool confirmed = false;  ///< on fresh pairs of both builds, and on these alone
};

struct Counts {
  int64_t regressed = 0, improved = 0, equivalent = 0, inconclusive = 0, suspicious = 0, incomparable = 0;
  int64_t unsupported = 0, errors = 0;
};

Counts count(const std::vector<Item>& items);

/// Cells that are to get fresh pairs: first those whose screening moved, in whichever direction, then those whose time
/// it could not decide.
std::vector<std::string> suspects(const std::vector<snapshot::Verdict>& screened);

/// Fresh pairs of each of so many cells: those asked for, and no fewer than let a single regression among them, two
/// metrics each, be declared.
int64_t pairs_of(int64_t asked, size_t cells);

/// What these take when a launch takes `launch_s`.
double seconds_of_pairs(int64_t asked, size_t cells, double launch_s);

/// Cells whose work was to be proved by a run of ours and is not: errors, whatever their times say. `side`: "new",
/// "old".
void refuse_unproved(std::vector<snapshot::Verdict>& verdicts, const std::vector<run::Unproved>& unproved,
                     const std::string& side);

/// Screening verdicts, with those of the suspects replaced by `confirmed`, which are a family of their own for q. What
/// moved and has no confirming verdict is "suspicious"; `over_budget`: cells for which that is the reason.
std::vector<Item> decide(const std::vector<snapshot::Verdict>& screened, std::vector<snapshot::Verdict> confirmed,
                         const std::vector<std::string>& over_budget = {});

/// 1 something regressed; 3 errors, or nothing was measured; 4 with `strict` where anything is not decided, and always
/// where the time of no cell was, but for `stored_only`, which cannot do better than suspicious; else 0. The first that
/// holds.
int exit_code(const std::vector<Item>& items, bool strict, bool stored_only = false);

/// "gpt-austen:tiny regressed at 4 ranks only; base case (serial) equivalent", a line for each workload and system with
/// a regression: a change of the base case shifts every rank count, one of scaling does not.
std::vector<std::string> where_it_regressed(const std::vector<Item>& items);

}  // namespace lockstep::check
