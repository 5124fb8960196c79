#pragma once

#include <filesystem>
#include <string>

#include "results/store/rows.h"

namespace lockstep::run {

/// The folder of all run folders, before a campaign that needs it begins. Failure "setup" where it cannot be made or
/// written to.
void make_runs_folder(const std::filesystem::path& runs);

/// The run folders of one campaign, held by one harness at a time: RUNS/NUMBER/, RUNS/shared/.
class CampaignFolder {
 public:
  /// Makes or finds it. Where RUNS/NUMBER belongs to a campaign of another store, RUNS/NUMBER-2 and so on is taken.
  /// Failure "usage" when another harness is at work on this campaign.
  CampaignFolder(const std::filesystem::path& runs, const store::CampaignRow& campaign);
  ~CampaignFolder();
  CampaignFolder(const CampaignFolder&) = delete;
  CampaignFolder& operator=(const CampaignFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// "007" in it.
  std::filesystem::path launch(int64_t number) const;

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace lockstep::run
