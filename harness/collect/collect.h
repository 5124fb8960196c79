#pragma once

#include <filesystem>

#include "results/store/store.h"

namespace lockstep::collect {

/// A run folder whose supervisor has ended (or died), as what the store keeps of it: validated, judged, nothing hidden.
/// The same for a launch that just ended and for a folder from another machine. Failure "usage" when it is none.
store::LaunchRecord collect(const std::filesystem::path& folder);

/// True when the folder is one of a launch that ran to its end, whatever came out.
bool is_complete(const std::filesystem::path& folder);

struct Imported {
  int64_t launches = 0, known = 0;  ///< new ones, and those that the store had already
};

/// Imports a run folder, or all run folders below one (a campaign's, or lockstep-runs). Importing twice changes
/// nothing.
Imported import_folder(store::Store& store, const std::filesystem::path& folder);

}  // namespace lockstep::collect
