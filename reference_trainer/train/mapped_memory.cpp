#include "reference_trainer/train/mapped_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "adapters/contract/failure.h"

namespace lockstep::train {
namespace {

[[noreturn]] void give_up(size_t bytes, const std::filesystem::path& folder, int error) {
  throw Failure("setup",
                fmt::format("{}: a file of {} bytes for offloaded optimizer arrays: {}; make room there, or leave "
                            "offload out",
                            folder.string(), bytes, std::strerror(error)));
}

}  // namespace

MappedMemory::MappedMemory(size_t bytes, const std::filesystem::path& folder) : bytes_(bytes) {
  if (bytes == 0) return;
  std::string name = (folder / "offload-XXXXXX").string();
  const int file = mkstemp(name.data());
  if (file < 0) give_up(bytes, folder, errno);
  unlink(name.c_str());
  // All blocks now: a full disk would be a signal in the middle of a step.
  const int error = posix_fallocate(file, 0, static_cast<off_t>(bytes));
  void* data = error == 0 ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  const int mapping_error = error == 0 ? errno : error;
  close(file);  // the mapping keeps it
  if (data == MAP_FAILED) give_up(bytes, folder, mapping_error);
  data_ = static_cast<std::byte*>(data);
}

MappedMemory::~MappedMemory() {
  if (data_) munmap(data_, bytes_);
}

void MappedMemory::release(size_t begin, size_t count) const {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t first = begin / page * page, last = std::min(bytes_, begin + count);
  // Of a shared mapping nothing is lost; a failure would only leave the pages where they are.
  if (last > first) madvise(data_ + first, last - first, MADV_DONTNEED);
}

}  // namespace lockstep::train
