#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/snapshot/environment.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::snapshot {

/// Launches of a cell that ran otherwise than those they would be compared with.
struct LeftOut {
  std::string cell;
  bool of_a = true;
  int64_t launches = 0;
  std::string why;  ///< "threads a rank: 1, newest 2"
};

/// How launches were set up: environment, threads, batch, warm-up. Times of launches that differ in what must match are
/// not compared.
class Setups {
 public:
  /// `vary`: keys of environments under test. `systems`: the sides are other systems, which bring versions of their own
  /// and need not warm up alike.
  Setups(store::Store& store, std::vector<std::string> vary, bool systems);

  const std::vector<Difference>& differences(const LaunchFigures& a, const LaunchFigures& b);

  /// The first that must match between the two sides and does not.
  std::optional<Difference> mismatch(const CellSnapshot& a, const LaunchFigures& ours, const CellSnapshot& b,
                                     const LaunchFigures& theirs);

  /// Leaves in both cells the launches that can be compared: of B those that ran as its newest did, of A those that ran
  /// so too, and on either side those of one build. Where none of A did, both stay as they are and the result says what
  /// is different.
  std::optional<Difference> keep_alike(CellSnapshot& a, CellSnapshot& b, std::vector<LeftOut>& left_out);

 private:
  using Hashes = std::pair<std::string, std::string>;

  std::optional<Difference> of_one_side(const LaunchFigures& launch, const LaunchFigures& last);
  const std::string& json(const std::string& hash);

  store::Store& store_;
  std::vector<std::string> vary_;
  bool systems_ = false;
  std::map<std::string, std::string> environments_;           ///< JSON by hash
  std::map<Hashes, std::vector<Difference>> sides_, builds_;  ///< between the sides; within one
};

}  // namespace lockstep::snapshot
