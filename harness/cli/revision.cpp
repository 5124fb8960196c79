#include "harness/cli/revision.h"

#include <algorithm>

#include "adapters/contract/failure.h"
#include "harness/launch/capture.h"
#include "results/snapshot/build_pool.h"
#include "results/snapshot/selector.h"

namespace lockstep::cli {
namespace {

constexpr double kGitSeconds = 10;

bool has_build(store::Store& store, const std::string& revision) {
  const std::vector<store::CampaignRow> all = store.campaigns();
  return std::any_of(all.begin(), all.end(), [&](const store::CampaignRow& row) {
    return snapshot::means(revision, snapshot::build_of(store, row));
  });
}

// Of a branch, a tag, a revision of any length; "" where git knows none.
std::string ask_git(const std::string& name) {
  const auto answer =
      launch::capture({"git", "rev-parse", "--verify", "--quiet", "--short=12", name + "^{commit}"}, kGitSeconds);
  return answer.code == 0 ? answer.out.substr(0, answer.out.find('\n')) : "";
}

}  // namespace

std::string with_revision(store::Store& store, const std::string& what, const std::string& text) {
  snapshot::Selector selector = snapshot::parse_selector(text);
  std::string& name = selector.campaign.tag;
  if (selector.campaign.kind != snapshot::CampaignSelector::Kind::git || has_build(store, name)) return text;
  const bool changed = name.ends_with('+');  // of files that differ from the revision
  const std::string revision = ask_git(changed ? name.substr(0, name.size() - 1) : name);
  if (revision.empty()) {
    refuse({store.path(), what, text, "no stored build has that revision, and git knows no such name here",
            "name a branch, a tag or a revision in its repository; lockstep list shows campaigns"});
  }
  const std::string stored = revision + (changed ? "+" : "");
  if (!has_build(store, stored)) {
    refuse({store.path(), what, text,
            fmt::format("is {} here, and no campaign of the store ran with that build", stored),
            "run the suite with that build first: its bin/lockstep run SUITE"});
  }
  name = stored;
  return snapshot::to_text(selector);
}

}  // namespace lockstep::cli
