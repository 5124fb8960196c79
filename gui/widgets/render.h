#pragma once

#include <QSize>
#include <filesystem>
#include <string>

#include "gui/core/view_state.h"

namespace lockstep::gui {

/// What `lockstep-gui --render` draws.
struct Rendering {
  std::string store;
  ViewState view;              ///< `view.page`: which page
  std::filesystem::path file;  ///< .png, .svg, .pdf
  QSize size;                  ///< of the widget in pixels; empty: 1280 wide, as high as the page is, at least 720
  double scale = 1;            ///< pixels of a PNG for one of the widget
  bool window = false;         ///< the whole window around the page
};

/// Draws a page with no display. Throws Failure: "usage" (no such page, store or ending), "deadline" (not ready within
/// a minute), "setup".
void render(const Rendering& rendering);

}  // namespace lockstep::gui
