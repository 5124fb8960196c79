#pragma once

#include <cstddef>
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

}  // namespace lockstep::train
