#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/store/store.h"

namespace lockstep::snapshot {

/// Which campaign: `@last`, `@last~1`, `@12`, a tag, or `git:1a2b3c4`, the newest one of a build of that revision
/// (`means` of build_pool.h); `git:1a2b3c4+` is one of files that differed from it.
struct CampaignSelector {
  enum class Kind : uint8_t { last, number, tag, git } kind = Kind::last;
  int64_t number = 0;  ///< last: how many before the last one
  std::string tag;     ///< or revision, or git's name of one: "feature/x"
};

/// `key:value,key:value`, all of which must hold. Keys: workload, preset, system, strategy, fabric, ranks, status,
/// mode. Values may hold `*` and `?`. `workload` and `system` match the id alone or the whole text.
struct Filter {
  struct Term {
    std::string key, value;
  };
  std::vector<Term> terms;
};

/// campaign [ "/" filter ]; names of git hold slashes, but no colon, so the filter begins at the last slash before one.
struct Selector {
  CampaignSelector campaign;
  Filter filter;
};

/// `@14.7`, `@last.7`, `tag.7`
struct LaunchSelector {
  CampaignSelector campaign;
  int64_t number = 0;
};

/// All throw Failure("usage") that points at the column and names what was expected.
Selector parse_selector(const std::string& text);
LaunchSelector parse_launch_selector(const std::string& text);
Filter parse_filter(const std::string& text);

/// Parses back to the same value.
std::string to_text(const CampaignSelector& selector);
std::string to_text(const Filter& filter);
std::string to_text(const Selector& selector);
std::string to_text(const LaunchSelector& selector);

/// The campaign that is meant; throws Failure("usage") that names the campaigns there are. `suite`: where a selector
/// could mean several campaigns (a build, @last), only those of this suite count; empty: all do.
store::CampaignRow resolve(store::Store& store, const CampaignSelector& selector, const std::string& suite = "");
store::LaunchRow resolve(store::Store& store, const LaunchSelector& selector);

/// Terms on cells (all but status and mode), and on launches (status and mode).
bool matches(const Filter& filter, const store::CellRow& cell);
bool matches(const Filter& filter, const store::LaunchRow& launch);

}  // namespace lockstep::snapshot
