#pragma once

namespace lockstep::gui {

/// A row of the sheet of keys.
struct KeyRow {
  const char *keys, *what;
};

}  // namespace lockstep::gui
