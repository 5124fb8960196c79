#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "adapters/contract/failure.h"
#include "results/store/store.h"

namespace lockstep::store::testing {

/// A fresh folder that is removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name = "lockstep.db") const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

CellRow cell(const std::string& workload, const std::string& system, const std::string& strategy,
             const std::string& fabric = "", int64_t ranks = 1);

/// A finished launch of mode time with one row of everything; `number` is also its block.
LaunchRecord record(const CampaignRow& campaign, int64_t number, const CellRow& cell);

/// The message of the Failure that `work` throws, as "KIND: MESSAGE"; "" where it throws none.
template <class Work>
std::string failure_of(Work&& work) {
  try {
    work();
  } catch (const Failure& failure) {
    return failure.kind() + ": " + failure.what();
  }
  return "";
}

}  // namespace lockstep::store::testing
