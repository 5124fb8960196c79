#include "results/snapshot/build_pool.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "results/snapshot/assemble.h"

namespace lockstep::snapshot {

namespace {

constexpr size_t kLeastDigits = 4;

}  // namespace

bool means(const std::string& revision, const std::string& build) {
  const std::string ours = revision.substr(0, revision.find('+')), theirs = build.substr(0, build.find('+'));
  const bool both = (ours == revision) == (theirs == build);
  return both && std::min(ours.size(), theirs.size()) >= kLeastDigits &&
         (ours.starts_with(theirs) || theirs.starts_with(ours));
}

std::string build_of(store::Store& store, const store::CampaignRow& campaign) {
  std::set<std::string> environments;
  for (const store::LaunchRow& launch : store.launches({campaign.id, {}, {}, {}}))
    environments.insert(launch.environment);
  for (const std::string& hash : environments) {
    const auto row = store.environment(hash);
    const nlohmann::json document = row ? nlohmann::json::parse(row->json, nullptr, false) : nlohmann::json();
    if (!document.is_object() || !document.contains("versions")) continue;
    const nlohmann::json& versions = document["versions"];
    if (versions.contains("git") && versions["git"].is_string()) return versions["git"].get<std::string>();
  }
  return "";
}

std::vector<store::CampaignRow> campaigns_of_build(store::Store& store, const std::string& build,
                                                   const std::string& suite) {
  std::vector<store::CampaignRow> all = store.campaigns();
  std::erase_if(all,
                [&](const store::CampaignRow& c) { return c.suite != suite || !means(build, build_of(store, c)); });
  std::reverse(all.begin(), all.end());
  return all;
}

CampaignSnapshot load_pool(store::Store& store, const std::vector<store::CampaignRow>& campaigns, const Filter& filter,
                           int64_t limit, double level) {
  using Setup = std::tuple<std::string, std::string, int64_t, int64_t>;
  std::map<Setup, int64_t> taken;
  std::vector<store::LaunchRow> launches;
  std::vector<store::CellRow> cells;
  for (const store::CampaignRow& campaign : campaigns) {
    // A campaign of a few cells, such as a confirmation, must not hide the others.
    for (store::CellRow& cell : store.cells(campaign.id)) {
      const bool known = std::any_of(cells.begin(), cells.end(), [&](const auto& c) { return c.text == cell.text; });
      if (!known) cells.push_back(std::move(cell));
    }
    std::vector<store::LaunchRow> its = store.launches({campaign.id, {}, {}, {}});
    std::reverse(its.begin(), its.end());  // newest first
    for (store::LaunchRow& launch : its) {
      const bool counts = launch.mode == store::LaunchMode::time && launch.status == store::LaunchStatus::finished;
      // Those of another set-up than what they are compared with will be left out, and must not take others' places.
      const Setup setup{launch.cell, launch.environment, launch.threads, launch.warmup};
      if (counts && ++taken[setup] > limit) continue;
      launch.block += campaign.number * 1'000'000;
      launches.push_back(std::move(launch));
    }
  }
  return assemble(store, campaigns.front(), cells, std::move(launches), filter, level);
}

}  // namespace lockstep::snapshot
