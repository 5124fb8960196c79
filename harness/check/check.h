#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/check/decision.h"
#include "harness/check/sides.h"
#include "harness/run/campaign.h"

namespace lockstep::check {

struct Request {
  std::string suite;                     ///< empty: the baseline campaign's
  std::string baseline;                  ///< selector; its filter holds for what is run too
  std::string candidate;                 ///< selector; empty: the suite is run with this build
  std::filesystem::path baseline_build;  ///< folder of the baseline's executables; empty: nothing can be confirmed
  std::vector<std::string> vary;         ///< environment keys under test, beside git
  int64_t pairs = 8;
  double budget_s = 1200;  ///< for fresh pairs, by what launches took so far; cells beyond it stay as they are
  bool run = true;         ///< false: stored data only
};

struct Result {
  std::string suite, baseline_build, build;  ///< revisions; "" unknown
  snapshot::CampaignComparison screen;       ///< A the baseline's pool, B the candidate
  std::optional<snapshot::CampaignComparison> confirmation;
  std::vector<Item> items;
  std::vector<std::string> regressed_where;  ///< decision.h
  std::vector<std::string> over_budget;      ///< cells that got no fresh pairs
  double budget_s = 0, needed_s = 0;         ///< for fresh pairs of every cell that asks for them
  bool has_baseline_build = false;
  bool can_confirm = false;  ///< it has, and something may be run
  bool interrupted = false;
};

/// Screens on stored data and, where cells moved, confirms with fresh pairs. Failure "usage", before anything runs, for
/// a baseline that is not there or has no cell in common with what is checked, a candidate that is the baseline itself,
/// and a build folder without a worker, or without adapters where a worker is one of their scripts.
Result check(const Request& request, const run::Settings& settings, const places::Places& places);

/// For a terminal; format lockstep.check; JUnit XML with stable names; Markdown for a pull request; lines for a CI log
/// ("::error title=...::...", GitHub's workflow commands).
std::string to_text(const Result& result, int code);
std::string to_json(const Result& result, int code);
std::string to_junit(const Result& result);
std::string to_markdown(const Result& result, int code);
std::string annotations(const Result& result);

}  // namespace lockstep::check
