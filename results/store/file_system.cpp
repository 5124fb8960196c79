#include "results/store/file_system.h"

#include <sys/vfs.h>

#include <filesystem>

#include "adapters/contract/failure.h"

namespace lockstep::store {

namespace {

struct FileSystem {
  int64_t type;  // statfs(2), and the headers of Lustre, GPFS and BeeGFS
  const char* name;
};

constexpr FileSystem kWithoutLocks[] = {
    {0x6969, "NFS"},        {0x0BD00BD0, "Lustre"}, {0x47504653, "GPFS"}, {0xFF534D42, "CIFS"}, {0xFE534D42, "SMB2"},
    {0x19830326, "BeeGFS"}, {0x00C36400, "Ceph"},   {0x5346414F, "AFS"},  {0x01021997, "9p"},   {0x7461636F, "OCFS2"},
};

}  // namespace

const char* file_system_without_locks(int64_t type) {
  for (const FileSystem& row : kWithoutLocks) {
    if (row.type == (type & 0xFFFFFFFF)) return row.name;
  }
  return "";
}

void require_locks(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  struct statfs info {};
  if (statfs(folder.c_str(), &info) != 0) return;  // opening the file says what is wrong
  const char* name = file_system_without_locks(static_cast<int64_t>(info.f_type));
  if (*name == 0) return;
  refuse(
      {path, "", "", fmt::format("on {}, where locks and shared memory do not hold between hosts", name),
       "put the store on a local disk with --store; run folders may stay here, lockstep import FOLDER brings them in"});
}

}  // namespace lockstep::store
