#pragma once

#include <span>
#include <string_view>

#include "gui/widgets/page.h"

namespace lockstep::gui {

/// One row a page. A new page is one model in gui/core, one file in gui/widgets/pages, and one row.
struct PageRow {
  const char* id;     ///< "overview": in `--render`, saved views, ViewState::page
  const char* title;  ///< "Overview"
  const char* what;   ///< what it shows, a sentence
  const char* words;  ///< other words by which people look for it, apart by blanks
  Page* (*make)(Session&, Loader&);
};

std::span<const PageRow> pages();
/// Null where there is none.
const PageRow* page_named(std::string_view id);

}  // namespace lockstep::gui
