#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace lockstep::train {

/// Zeroed memory whose contents lie in a file without a name, gone with the process: pages are in the process's memory
/// from when they are touched until they are released, and the file has what was written to them.
class MappedMemory {
 public:
  /// The file is made in `folder`, with all of its blocks. Throws Failure("setup") with the bytes and the folder, as
  /// when the disk is full.
  MappedMemory(size_t bytes, const std::filesystem::path& folder);
  ~MappedMemory();
  MappedMemory(MappedMemory&& other) noexcept : data_(other.data_), bytes_(other.bytes_) { other.data_ = nullptr; }
  MappedMemory& operator=(MappedMemory&&) = delete;

  size_t bytes() const { return bytes_; }
  template <class T>
  std::span<T> as() const {
    return {reinterpret_cast<T*>(data_), bytes_ / sizeof(T)};
  }

  /// The pages of bytes [begin, begin + count) leave the process's memory.
  void release(size_t begin, size_t count) const;

 private:
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace lockstep::train
