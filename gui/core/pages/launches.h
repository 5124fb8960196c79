#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

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

/// The table of launches, or of cells with medians and intervals.
struct Launches {
  std::shared_ptr<const Rows> all;    ///< every row and column
  std::shared_ptr<const Rows> shown;  ///< those that the filter and the choice of columns leave
  bool figures_missing = false;       ///< measured figures are still to be read: ask again with `with_figures`
  std::string base;                   ///< cell that the ratios are against; empty: none is pinned
  std::string words;                  ///< what is not shown
};

/// More launches than this are shown before their series have been read.
inline constexpr size_t kReadAtOnce = 1000;

Launches load_launches(store::Store& store, const ViewState& view, bool with_figures);

/// "@14.7"
std::string selector_of(const LaunchLine& line);

/// Everything that is known of one launch, a line a fact, with the commands that show more.
std::vector<report::Fact> launch_facts(store::Store& store, const std::string& selector);

/// Columns that do not need the launch's series, then those that do.
std::shared_ptr<const Rows> launch_rows(std::vector<LaunchLine> lines);

}  // namespace lockstep::gui
