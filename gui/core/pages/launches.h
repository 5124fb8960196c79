#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gui/core/loader.h"
#include "gui/core/rows.h"
#include "gui/core/view_state.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::gui {

/// A launch with what a table tells of it.
struct LaunchLine {
  store::LaunchRow row;
  std::shared_ptr<const store::CellRow> cell;
  int64_t campaign = 0;  ///< number
  std::string suite;
  std::optional<snapshot::LaunchFigures> figures;  ///< none: not finished, or not read yet
};

/// What the page's choices ask for. In the view: options launches.scope, launches.group, launches.columns.
enum class LaunchScope : uint8_t { campaign, store };

/// Figures of finished launches by id. They never change.
using KnownFigures = std::unordered_map<std::string, snapshot::LaunchFigures>;

/// How much of a long table is read: its first rows are there at once.
enum class Reading : uint8_t { first_rows, all_rows };

/// The table of launches, or of cells with medians and intervals.
struct Launches {
  std::shared_ptr<const Rows> all;    ///< every row and column
  std::shared_ptr<const Rows> shown;  ///< those that the filter and the choice of columns leave
  bool rows_missing = false;          ///< these are the first rows of many
  bool figures_missing = false;       ///< measured figures are still to be read: see read_figures
  std::string base;                   ///< cell that the ratios are against; empty: none is pinned
  std::string words;                  ///< what is not shown
};

/// So many launches are read with all their figures at once; of more, these are the first rows.
inline constexpr size_t kReadAtOnce = 1000;

/// With the figures that are `known`; of few launches it reads the others, too.
Launches load_launches(store::Store& store, const ViewState& view, Reading reading, const KnownFigures& known = {});

/// Figures of the launches of the view that are not `known`; `job` hears how many have been read.
KnownFigures read_figures(store::Store& store, const ViewState& view, const KnownFigures& known, const Job& job = {});

/// "@14.7"
std::string selector_of(const LaunchLine& line);

/// Everything that is known of one launch, a line a fact, with the commands that show more.
std::vector<report::Fact> launch_facts(store::Store& store, const std::string& selector);

/// Columns that do not need the launch's series, then those that do.
std::shared_ptr<const Rows> launch_rows(std::vector<LaunchLine> lines);

}  // namespace lockstep::gui
