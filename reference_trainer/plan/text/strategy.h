#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference_trainer/plan/text/term.h"

namespace lockstep::text {

enum class Axis : uint8_t { dp, tp, pp, cp, ep, h, w };

std::string_view name(Axis axis);

struct MeshAxis {
  Axis axis = Axis::dp;
  int size = 1;
  bool operator==(const MeshAxis&) const = default;
};

/// strategy = mesh { "/" pass } { "+" agreement } [ "@" collective ], e.g. pp2.dp2/1f1b:m=8/zero1+ef+topk:0.01@ring.
/// Always canonical: no axis of size 1 (no axis at all is `serial`), passes in the order of the table of terms, `naive`
/// where a pp axis has no schedule, keys sorted, and nothing that is the default (accum:m=1, bsp without an error
/// feedback wrapper, @auto).
struct Strategy {
  std::vector<MeshAxis> axes;      ///< as written; the last one varies fastest
  std::vector<Term> passes;        ///< layouts, schedule, passes
  std::vector<Term> agreements;    ///< policy, wrappers, codec, as written: wrappers nest
  std::optional<Term> collective;  ///< none: the automatic choice
  bool operator==(const Strategy&) const = default;

  /// Size of an axis; 1 where the mesh lacks it.
  int size(Axis axis) const;
  const Term* find_pass(std::string_view name) const;
  const Term* find_agreement(std::string_view name) const;
};

/// Ranks of the mesh: the product of its axes, at most kMostRanks.
inline constexpr int kMostRanks = 1 << 20;
int ranks(const Strategy& strategy);

/// Reads any legal strategy and gives its canonical form. Unknown names, repeated axes or passes, and everything else
/// outside the grammar throw Failure("usage") with column, expectation and nearest legal form. Whether this version can
/// run it is another question: see terms/check.h.
Strategy parse_strategy(std::string_view text);
std::string print(const Strategy& strategy);

}  // namespace lockstep::text
