#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "reference_trainer/comm/buffer.h"
#include "reference_trainer/comm/transport.h"

namespace lockstep::comm {

/// What a rank must hold while it touches memory of others; see threads_state.h.
class Touching;

/// The all-reduce of ranks that share memory, `native` of the threads transport. Short buffers (kSlotBytes) are copied
/// into a slot that everybody reads: one hand-over. Longer ones are published, and each rank reduces its slice of all
/// buffers straight into all of them: two hand-overs, each byte read once and written once a rank. Sums are taken in
/// the order of ranks, so all ranks get the same bits whoever is late.
class SharedAllReduce {
 public:
  static constexpr int64_t kSlotBytes = 8192;

  /// One rank's part in one operation; numbers count from 1 in the order that all ranks share.
  struct Part {
    enum State : uint8_t { queued, published, reduced } state = queued;
    int64_t sequence = 0;
    Buffer buffer;
    Reduce reduce = Reduce::sum;
  };

  explicit SharedAllReduce(int ranks);

  /// Publishes the part at once if an entry is free, so that others need not wait for this rank's next poll.
  void publish_early(int rank, Part&);
  /// Makes progress on the rank's part; true when it is complete. `touching` begins and ends around each access to
  /// others' buffers.
  bool advance(int rank, Part&, Touching& touching);

 private:
  static constexpr int kEntries = 16;  ///< operations under way at once; further ones are queued

  /// What a rank shows the others about an operation.
  struct alignas(64) Notice {
    std::atomic<int64_t> arrived{0};  ///< number of the last operation whose buffer is published
    std::byte* data = nullptr;
    int64_t count = 0;
    Element element = Element::f32;
    Reduce reduce = Reduce::sum;
    alignas(64) std::atomic<int64_t> done{0};  ///< number of the last operation that needs nothing more of this entry
  };
  struct alignas(64) Slot {
    std::array<std::byte, kSlotBytes> bytes;
  };

  size_t index(int64_t sequence, int rank) const { return static_cast<size_t>((sequence % kEntries) * ranks_ + rank); }
  bool entry_free(int64_t sequence) const;
  void publish(int rank, Part&);
  bool all_arrived(const Part&) const;
  void check_same(int rank, const Part&) const;
  bool all_done(const Part&) const;
  void reduce_slots(Part&) const;
  void reduce_slice(int rank, const Part&) const;

  int ranks_;
  std::unique_ptr<Notice[]> notices_;
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace lockstep::comm
