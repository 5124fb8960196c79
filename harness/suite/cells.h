#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/contract/manifest.h"
#include "harness/suite/suite.h"
#include "reference_trainer/plan/text/strategy.h"
#include "results/store/rows.h"
#include "workloads/data/workload.h"

namespace lockstep::suite {

/// Why a cell cannot run: it becomes a row with this.
struct Reason {
  std::string kind;     ///< "unsupported", ...
  std::string message;  ///< what, why, and what to do
};

/// One point of a suite, in canonical texts.
struct PlannedCell {
  std::string text, workload, system, strategy, fabric;  ///< fabric empty for one rank
  std::string system_id, fabric_name;
  int64_t ranks = 1;
  std::shared_ptr<const workloads::Workload> resolved;
  std::optional<Reason> refused;
};

/// As filters and comparisons take it, before it ran: without the resolved JSON.
store::CellRow row_of(const PlannedCell& cell);

/// What cells are checked against: workload files and adapters. Resolved workloads, parsed texts and checks of their
/// combinations are remembered, so 10,000 cells take about a second.
class Catalogue {
 public:
  Catalogue(std::filesystem::path workloads, std::vector<contract::Manifest> manifests);
  ~Catalogue();
  Catalogue(Catalogue&&) noexcept;

  /// Canonical and resolved. Failure "usage".
  std::shared_ptr<const workloads::Workload> workload(const std::string& text);
  /// Null where there is no such adapter.
  const contract::Manifest* manifest(const std::string& system_id) const;
  const std::vector<contract::Manifest>& manifests() const { return manifests_; }

  /// One cell from its parts; `fabric` empty: the system's usual one. Failure "usage" for what a person mistyped; what
  /// merely cannot run here has its reason in the result.
  PlannedCell cell(const std::string& workload, const std::string& system, const std::string& strategy,
                   const std::string& fabric);

 private:
  /// Where its stages go by a file of costs or a limit of memory: the strategy with the cut, which the cell then has.
  const text::Strategy& choose_cut(const text::Strategy& strategy, PlannedCell& cell);

  struct Memory;
  std::vector<contract::Manifest> manifests_;
  std::unique_ptr<Memory> memory_;
};

/// All cells of a suite, workloads outermost, each once, without those that a filter of `exclude` matches.
std::vector<PlannedCell> expand(const Suite& suite, Catalogue& catalogue);

/// Keeps the cells that a filter matches; empty keeps all. Failure "usage" when none is left.
void keep_matching(std::vector<PlannedCell>& cells, const std::string& filter);

}  // namespace lockstep::suite
