#include "harness/run/folders.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>

#include "adapters/contract/failure.h"

namespace lockstep::run {
namespace fs = std::filesystem;
namespace {

constexpr const char* kOwner = "campaign.id";

// True when the folder is ours: it was, or it was not there and is now.
bool take(const fs::path& folder, const std::string& id) {
  const bool fresh = fs::create_directories(folder);
  std::string owner;
  std::ifstream(folder / kOwner) >> owner;
  if (owner == id) return true;
  if (!owner.empty() || !(fresh || fs::is_empty(folder))) return false;
  std::ofstream(folder / kOwner) << id << "\n";
  return true;
}

}  // namespace

void make_runs_folder(const fs::path& runs) {
  std::error_code failed;
  fs::create_directories(runs, failed);
  if (!failed && access(runs.c_str(), W_OK | X_OK) != 0) failed.assign(errno, std::system_category());
  if (!failed) return;
  throw Failure("setup", fmt::format("--runs: {}: run folders cannot be made there ({}); choose a folder that can be "
                                     "written to, with --runs or LOCKSTEP_RUNS",
                                     runs.string(), failed.message()));
}

CampaignFolder::CampaignFolder(const fs::path& runs, const store::CampaignRow& campaign) {
  path_ = runs / std::to_string(campaign.number);
  for (int copy = 2; !take(path_, campaign.id); ++copy) path_ = runs / fmt::format("{}-{}", campaign.number, copy);
  const std::string file = (path_ / "lock").string();
  lock_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0) throw Failure("setup", file + ": cannot be made; is the disk full or read-only?");
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    close(lock_);
    refuse({"", fmt::format("@{}", campaign.number), "", "another program is running this campaign",
            "wait for it to end"});
  }
}

CampaignFolder::~CampaignFolder() { close(lock_); }

fs::path CampaignFolder::launch(int64_t number) const { return path_ / fmt::format("{:03}", number); }

}  // namespace lockstep::run
