#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::exec {

/// One line of a log as a person sees it: without colours, without its end.
struct Line {
  std::string text;
  int64_t number = 0;      ///< in its file, from 1
  int64_t arrived_ns = 0;  ///< when its last byte came, on the monotonic clock; 0: not known
  size_t file = 0;         ///< 0 stdout, 1 stderr
};

/// Without colours and other escape sequences of a terminal (ECMA-48).
std::string without_escapes(std::string_view text);

/// Splits a log at newlines and at carriage returns, with which progress bars overwrite themselves; empty lines are
/// left out, but counted. `arrivals` are the pieces "NANOSECONDS BYTES" of supervisor/stamp.h, or empty.
std::vector<Line> split(std::string_view log, std::string_view arrivals, size_t file = 0);

/// Both outputs of a launch of a command, in the order in which their lines came.
std::vector<Line> read_lines(const std::filesystem::path& run_folder);

/// The whole file. Failure "usage" when it cannot be read.
std::string read_log(const std::filesystem::path& file);

}  // namespace lockstep::exec
