#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lockstep::suite {

/// One product of a suite: systems x strategies x n x fabrics.
struct Entry {
  std::vector<std::string> systems;
  std::vector<std::string> strategies;  ///< may hold "{n}"
  std::vector<int64_t> n;               ///< the numbers for "{n}"
  std::vector<std::string> fabrics;     ///< empty: each system's usual one; ignored for one rank
};

/// When a change of a metric matters, for the gate.
struct Threshold {
  double margin = 0;  ///< as a fraction
  int64_t floor = 0;  ///< ns or bytes
};

/// A suite as its file says, checked for form. See docs/formats.md.
struct Suite {
  std::string id, title;
  std::vector<std::string> workloads;
  std::vector<Entry> entries;
  std::vector<std::vector<std::string>> recipes;  ///< each a list of "key=value"; at least one, maybe empty
  std::vector<std::string> exclude;               ///< filters
  int64_t launches = 6;                           ///< a cell
  int64_t threads = 0;                            ///< a rank; 0: cores / ranks
  int64_t warmup = 20;                            ///< steps before the timed region
  std::string base = "serial";
  bool converge = false;  ///< launches train with evaluation, by the workload's target, instead of being timed
  bool profile = false;  ///< one profiled launch of each reference cell, outside the statistics
  std::map<std::string, Threshold> gate;
};

/// Reads a suite file. Failure "usage" names file, JSON path, value, rule and remedy.
Suite read_suite(const std::filesystem::path& file);
Suite parse_suite(const std::string& text, const std::string& file);

/// `text` is a file's name, or the id of a suite in `suites`. Failure "usage" lists the suites there are.
Suite find_suite(const std::string& text, const std::filesystem::path& suites);

struct Listed {
  std::string id, title;
};
/// The suites of a folder, by id.
std::vector<Listed> list(const std::filesystem::path& suites);

}  // namespace lockstep::suite
