#pragma once

#include <string>

#include "results/store/store.h"

namespace lockstep::cli {

/// A selector of campaigns as the store can resolve it: NAME of `git:NAME`, where it is no revision of a stored build,
/// becomes the revision that git, asked in the current folder, says it is. `what` names the argument in messages.
/// Failure "usage" where git knows no such name, or the store no build of its revision.
std::string with_revision(store::Store& store, const std::string& what, const std::string& selector);

}  // namespace lockstep::cli
