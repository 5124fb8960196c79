// What a selector means in a store.
#include <string_view>

#include "adapters/contract/failure.h"
#include "results/snapshot/build_pool.h"
#include "results/snapshot/selector.h"
#include "results/snapshot/workload_text.h"

namespace lockstep::snapshot {

namespace {

[[noreturn]] void not_there(store::Store& store, const std::string& text, const std::string& suite) {
  const std::vector<store::CampaignRow> all = store.campaigns();
  std::string there = "it holds none";
  if (!all.empty()) there = fmt::format("it holds @{} to @{}", all.front().number, all.back().number);
  for (const store::CampaignRow& row : all) {
    for (const std::string& tag : row.tags) there += fmt::format(", {} = @{}", tag, row.number);
  }
  const std::string of_suite = suite.empty() ? "" : " with suite " + suite;
  refuse({store.path(), "campaign", text, fmt::format("not in this store{}; {}", of_suite, there),
          "lockstep list shows them"});
}

// `*` any characters, `?` one; backtracks to the last star.
bool glob(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool matches_term(const Filter::Term& term, const store::CellRow& cell) {
  const auto any = [&](std::initializer_list<std::string> texts) {
    for (const std::string& text : texts) {
      if (glob(term.value, text)) return true;
    }
    return false;
  };
  if (term.key == "workload") return any({cell.workload, without_arguments(cell.workload), id_of(cell.workload)});
  if (term.key == "preset") return any({preset_of(cell.workload)});
  if (term.key == "system") return any({cell.system, id_of(cell.system)});
  if (term.key == "strategy") return any({cell.strategy});
  if (term.key == "fabric") return any({cell.fabric, id_of(cell.fabric)});
  if (term.key == "ranks") return any({fmt::format("{}", cell.ranks)});
  return true;  // status and mode are about launches
}

}  // namespace

store::CampaignRow resolve(store::Store& store, const CampaignSelector& selector, const std::string& suite) {
  std::optional<store::CampaignRow> found;
  const auto counts = [&](const store::CampaignRow& row) { return suite.empty() || row.suite == suite; };
  if (selector.kind == CampaignSelector::Kind::number) found = store.campaign(selector.number);
  if (selector.kind == CampaignSelector::Kind::tag) found = store.campaign_tagged(selector.tag);
  if (selector.kind == CampaignSelector::Kind::last) {
    std::vector<store::CampaignRow> all = store.campaigns();
    std::erase_if(all, [&](const store::CampaignRow& row) { return !counts(row); });
    const auto back = static_cast<size_t>(selector.number);
    if (back < all.size()) found = std::move(all[all.size() - 1 - back]);
  }
  if (selector.kind == CampaignSelector::Kind::git) {
    for (store::CampaignRow& row : store.campaigns()) {
      if (counts(row) && means(selector.tag, build_of(store, row))) found = std::move(row);
    }
  }
  if (!found) not_there(store, to_text(selector), suite);
  return *std::move(found);
}

store::LaunchRow resolve(store::Store& store, const LaunchSelector& selector) {
  const store::CampaignRow campaign = resolve(store, selector.campaign);
  auto found = store.launch(campaign.number, selector.number);
  if (found) return *std::move(found);
  refuse({store.path(), "launch", to_text(selector), fmt::format("campaign @{} has no such launch", campaign.number),
          fmt::format("lockstep list @{} shows its launches", campaign.number)});
}

bool matches(const Filter& filter, const store::CellRow& cell) {
  for (const Filter::Term& term : filter.terms) {
    if (!matches_term(term, cell)) return false;
  }
  return true;
}

bool matches(const Filter& filter, const store::LaunchRow& launch) {
  for (const Filter::Term& term : filter.terms) {
    if (term.key == "status" && term.value != store::to_text(launch.status)) return false;
    if (term.key == "mode" && term.value != store::to_text(launch.mode)) return false;
  }
  return true;
}

}  // namespace lockstep::snapshot
