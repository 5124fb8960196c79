#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference_trainer/plan/schedule/generators.h"

namespace lockstep::schedule {

/// A row of the table of schedules. Adding one = one small file, its line in CMakeLists.txt, a declaration in
/// generators.h, one row in table.cpp; the tests iterate the table.
struct Row {
  std::string_view name;    ///< the term's, in the table of terms
  std::string_view source;  ///< the paper and year, and the idea in a few words
  Schedule (*generate)(const Numbers&);
  int ranks_multiple;  ///< ranks must be a multiple of this
  /// Microbatches must be a multiple of this, for so many ranks.
  int (*microbatches_multiple)(int ranks);
  std::string_view rule;  ///< of microbatches, in words
  double (*idle)(const Numbers&, const Times&);
  /// The idle time is that of a rank from its first to its last action, since ranks end one after the other; otherwise
  /// of the whole step.
  bool staggered;
  bool equal_passes;  ///< the formula of idle time holds for F = B only
  int (*in_flight)(const Numbers&, int rank);
  std::string_view bubble_text, in_flight_text;  ///< the formulas, in words
};

std::span<const Row> schedules();

/// The row of a name. Throws Failure("usage") that names the nearest one.
const Row& find_schedule(std::string_view name);

/// The legal number of microbatches that is nearest to the one wanted (the larger of two equally near).
int nearest_microbatches(const Row&, const Numbers&);

/// Why the schedule cannot be made for these numbers, with the nearest that can; or an empty text.
std::string why_not(const Row&, const Numbers&);

/// The lists without transfers. Throws Failure("unsupported") with the reason of why_not().
Schedule generate(std::string_view name, const Numbers&);

/// Idle share by the formula: idle / (work + idle).
double bubble(const Row&, const Numbers&, const Times&);

/// Most activations of each rank by the formula: the bound for check().
std::vector<int> in_flight(const Row&, const Numbers&);

}  // namespace lockstep::schedule
