#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include "adapters/contract/failure.h"

namespace lockstep::train {

/// Zeroed memory at a multiple of 64 bytes.
class MemoryBlock {
 public:
  MemoryBlock() = default;
  explicit MemoryBlock(size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    const size_t rounded = (bytes + 63) / 64 * 64;
    data_.reset(static_cast<std::byte*>(std::aligned_alloc(64, rounded)));
    if (!data_) throw Failure("out_of_memory", fmt::format("asked {} bytes; take a smaller batch or preset", bytes));
    std::memset(data_.get(), 0, rounded);
  }

  std::byte* data() const { return data_.get(); }
  size_t bytes() const { return bytes_; }

  template <class T>
  std::span<T> as() const {
    return {reinterpret_cast<T*>(data_.get()), bytes_ / sizeof(T)};
  }

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  std::unique_ptr<std::byte[], Free> data_;
  size_t bytes_ = 0;
};

/// Memory that whatever is packed for one exchange after the other shares; it grows to the largest.
class Staging {
 public:
  template <class T>
  std::span<T> take(int64_t count) {
    const size_t bytes = static_cast<size_t>(count) * sizeof(T);
    if (block_.bytes() < bytes) block_ = MemoryBlock(bytes);
    return block_.as<T>().first(static_cast<size_t>(count));
  }

 private:
  MemoryBlock block_;
};

}  // namespace lockstep::train
