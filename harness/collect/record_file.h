#pragma once

#include <filesystem>
#include <string>

#include "results/store/store.h"

namespace lockstep::collect {

/// Everything that a store has of one launch, with its campaign, cell and environment.
store::LaunchRecord read_record(store::Store& store, const store::LaunchRow& launch);

/// A launch as one file of two lines: a header with the hash of the second (XXH128), and the record as JSON (see
/// docs/formats.md). Nothing of it depends on the store it came from.
std::string record_text(const store::LaunchRecord& record);

/// Failure "usage" where the file is none of these, or was changed or cut short.
store::LaunchRecord parse_record(const std::string& text, const std::string& file);
store::LaunchRecord read_record_file(const std::filesystem::path& file);

}  // namespace lockstep::collect
