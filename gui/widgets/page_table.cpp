#include "gui/widgets/page_table.h"

#include <array>

#include "gui/widgets/pages/overview.h"

namespace lockstep::gui {
namespace {

template <class Kind>
Page* make(Session& session, Loader& loader) {
  return new Kind(session, loader);
}

constexpr std::array kPages = {
    PageRow{"overview", "Overview", "What a campaign found, in sentences, and four pictures of each workload.",
            make<OverviewPage>},
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
