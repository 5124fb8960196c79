#include "harness/check/sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "adapters/contract/failure.h"
#include "results/snapshot/build_pool.h"

namespace lockstep::check {
namespace {

using Kind = snapshot::CampaignSelector::Kind;

void refuse_itself(const Baseline& baseline, const store::CampaignRow& candidate) {
  const bool is_itself = std::any_of(baseline.campaigns.begin(), baseline.campaigns.end(),
                                     [&](const store::CampaignRow& row) { return row.id == candidate.id; });
  if (!is_itself) return;
  refuse({"", "candidate", fmt::format("@{}", candidate.number),
          fmt::format("belongs to the baseline {}: a campaign cannot be checked against itself", baseline.text()),
          "run the suite with the new build, or name its campaign: --candidate @14 (lockstep list)"});
}

}  // namespace

Baseline find_baseline(store::Store& store, const std::string& text, const std::string& suite) {
  Baseline out{snapshot::parse_selector(text), {}};
  const bool is_build = out.selector.campaign.kind == Kind::git;
  out.campaigns.push_back(snapshot::resolve(store, out.selector.campaign, is_build ? suite : ""));
  if (!is_build) return out;
  const std::string build = snapshot::build_of(store, out.campaigns.front());
  out.campaigns = snapshot::campaigns_of_build(store, build, out.campaigns.front().suite);
  return out;
}

std::vector<std::string> cells_of(store::Store& store, const Baseline& baseline) {
  std::set<std::string> texts;
  for (const store::CampaignRow& campaign : baseline.campaigns) {
    for (const store::CellRow& cell : store.cells(campaign.id)) {
      if (snapshot::matches(baseline.selector.filter, cell)) texts.insert(cell.text);
    }
  }
  return {texts.begin(), texts.end()};
}

snapshot::Side load(store::Store& store, const Baseline& baseline) {
  return {baseline.text(), snapshot::load_pool(store, baseline.campaigns, baseline.selector.filter, kPool)};
}

snapshot::Side stored_candidate(store::Store& store, const std::string& text, const std::string& suite,
                                const Baseline& baseline) {
  snapshot::Selector selector = snapshot::parse_selector(text.empty() ? "@last" : text);
  const bool of_suite = text.empty() || selector.campaign.kind == Kind::git;
  const store::CampaignRow campaign = snapshot::resolve(store, selector.campaign, of_suite ? suite : "");
  refuse_itself(baseline, campaign);
  const auto& terms = baseline.selector.filter.terms;
  selector.filter.terms.insert(selector.filter.terms.end(), terms.begin(), terms.end());
  return {fmt::format("@{}", campaign.number), snapshot::load(store, campaign, selector.filter)};
}

}  // namespace lockstep::check
