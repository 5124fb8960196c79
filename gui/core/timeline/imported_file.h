#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "gui/core/timeline/columns.h"

namespace lockstep::gui::timeline {

/// A trace as it is imported: columns in a binary file beside the trace, `FILE.columns` (docs/formats.md). It can be
/// deleted at any time. It names size and hash of the trace that it was made from, and its own hash.
std::filesystem::path imported_path(const std::filesystem::path& trace_file);

struct Source {
  uint64_t bytes = 0;
  std::string hash;  ///< XXH3-128 of the trace file
  bool operator==(const Source&) const = default;
};

/// Atomically. Throws Failure("setup") where it cannot be written.
void write_imported(const std::filesystem::path& file, const Columns& columns, const Source& source);
/// Nothing where there is none, or one of another trace or another version, or a damaged one.
std::optional<Columns> read_imported(const std::filesystem::path& file, const Source& source);

/// Hears what share of the work is done, from 0 to 1; may throw to end it.
using Progress = std::function<void(double)>;

struct Opened {
  Columns columns;
  std::string note;  ///< why the imported form could not be kept; empty: it is there
};
/// A trace file from its imported form, which is made where it is missing or of another trace.
/// Throws Failure("usage") where the file is missing or no trace.
Opened open_trace(const std::filesystem::path& trace_file, const Progress& progress = {});

}  // namespace lockstep::gui::timeline
