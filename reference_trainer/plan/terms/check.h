#pragma once

#include <string>
#include <vector>

#include "reference_trainer/plan/terms/table.h"
#include "reference_trainer/plan/text/strategy.h"

namespace lockstep::terms {

/// Why a strategy cannot run in this version.
struct Refusal {
  std::string term;     ///< the term as printed: "zero2", "tp4"
  std::string kind;     ///< "unsupported" (a row says why) or "usage" (an argument, a need, a conflict)
  std::string reason;   ///< rule and numbers
  std::string nearest;  ///< the nearest strategy that this version runs
};

/// Empty: this version of the reference trainer can run the strategy. Pure; looks at the strategy alone, so whether the
/// batch can be divided is the planner's question.
std::vector<Refusal> check(const text::Strategy& strategy);

/// Whether the mesh has an axis of at least two ranks that the row needs.
bool has_its_axes(const Row& row, const std::vector<text::MeshAxis>& axes);

/// Throws Failure with the first refusal of check(), if there is one.
void refuse_unsupported(const text::Strategy& strategy);

/// It trains as one rank does, with serial_of(). False for stale weights, which have a serial model of their own: what
/// proves them is the conformance tests.
bool equals_serial(const text::Strategy& strategy);

/// The strategy of one rank that does the same work: of all terms only `amp`, which rounds numbers, changes it.
text::Strategy serial_of(const text::Strategy& strategy);

/// The nearest strategy that this version runs: unsupported axes become dp, terms that cannot stay are left out.
text::Strategy nearest_supported(const text::Strategy& strategy);

/// "m=1..65536" or "SIZE 1B.." ...: the parameters of a row for people.
std::string describe_parameters(const Row& row);

}  // namespace lockstep::terms
