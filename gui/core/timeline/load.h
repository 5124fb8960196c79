#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gui/core/timeline/geometry.h"
#include "gui/core/timeline/imported_file.h"
#include "gui/core/timeline/overlay.h"
#include "gui/core/view_state.h"
#include "results/store/store.h"

namespace lockstep::gui::timeline {

/// A launch with a timeline, to choose from.
struct Recorded {
  std::string selector;  ///< "@14.7"
  std::string cell;
};

/// What the page shows of a launch. Times are nanoseconds since its first measured activity.
struct Launch {
  std::string id;              ///< LaunchRow::id: a finished launch never changes
  std::string selector, cell;  ///< of the launch that is shown
  Timeline timeline;
  StepTimes steps;                 ///< measured
  Range opening;                   ///< what is shown at first: three steps from the middle of the recording
  std::vector<std::string> notes;  ///< how much was recorded and dropped, whose clocks, what the plan's times mean

  std::string title() const { return selector + " " + cell; }
};

struct Loaded {
  std::vector<Recorded> recorded;       ///< of the view's campaign, those cells that its filter leaves
  std::shared_ptr<const Launch> first;  ///< null: there is nothing to show, and `missing` says why and what to do
  std::shared_ptr<const Launch> other;  ///< the second one of a diff
  std::string wanted, wanted_other;     ///< selectors of the launches that were asked for; empty: none
  std::string redirected;  ///< that another launch of the cell is shown than the one that the view names, and why
  std::string missing;
};

/// The option of a view that names the second launch; empty: none.
inline constexpr const char* kOtherOption = "timeline.other";

/// Of the launch that the view names: itself where it was recorded, else the recorded launch of the same cell; without
/// a name, the campaign's first one. Where a file of the launch is missing or no trace, `missing` says so. Throws
/// Failure("usage") where the view names what is not there. `progress` hears what share is done of a trace that is
/// imported, and may throw to end it.
Loaded load(store::Store& store, const ViewState& view, const std::vector<std::shared_ptr<const Launch>>& known = {},
            const Progress& progress = {});

}  // namespace lockstep::gui::timeline
