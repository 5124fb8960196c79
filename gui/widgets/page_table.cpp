#include "gui/widgets/page_table.h"

#include <array>

#include "gui/widgets/pages/compare.h"
#include "gui/widgets/pages/convergence.h"
#include "gui/widgets/pages/launches.h"
#include "gui/widgets/pages/overview.h"
#include "gui/widgets/pages/scaling.h"
#include "gui/widgets/pages/strategies.h"
#include "gui/widgets/pages/timeline.h"

namespace lockstep::gui {
namespace {

template <class Kind>
Page* make(Session& session, Loader& loader) {
  return new Kind(session, loader);
}

constexpr std::array kPages = {
    PageRow{"overview", "Overview", "What a campaign found, in sentences, and four pictures of each workload.",
            "summary campaign verdict findings home report breakdown throughput", make<OverviewPage>},
    PageRow{"launches", "Launches", "Every launch with every figure, or every cell with medians and intervals.",
            "runs table cells steps memory logs failed columns", make<LaunchesPage>},
    PageRow{"compare", "Compare", "Side A against side B: the verdict, the environments, every launch a dot.",
            "difference regression improved faster slower environments ecdf box equal work", make<ComparePage>},
    PageRow{"scaling", "Scaling", "Throughput and efficiency against ranks, with the ideal line through the base.",
            "ranks efficiency speedup strong weak amdahl karp-flatt ideal base copies", make<ScalingPage>},
    PageRow{"convergence", "Statistical efficiency",
            "Loss or a metric against steps, samples, tokens, wall time or device-hours; when the target was reached.",
            "convergence loss accuracy metric quality target seeds epochs curve", make<ConvergencePage>},
    PageRow{"timeline", "Timeline",
            "What each rank did when, beside the plan; totals of an area; two launches compared.",
            "trace profile gantt ranks activities schedule communication matrix messages", make<TimelinePage>},
    PageRow{"strategies", "Strategies",
            "Every term of a strategy on every system; pipeline schedules as pictures; what a strategy does in a step.",
            "terms parallelism pipeline schedule plan step bytes zero tensor data", make<StrategiesPage>},
};

}  // namespace

std::span<const PageRow> pages() { return kPages; }

const PageRow* page_named(std::string_view id) {
  for (const PageRow& row : kPages) {
    if (id == row.id) return &row;
  }
  return nullptr;
}

}  // namespace lockstep::gui
