#include "reference_trainer/comm/shared_all_reduce.h"

#include <algorithm>
#include <cstring>

#include "adapters/contract/invariant.h"
#include "reference_trainer/comm/combine.h"
#include "reference_trainer/comm/threads_state.h"
#include "reference_trainer/plan/collective/program.h"

namespace lockstep::comm {
namespace {

bool is_short(const Buffer& buffer) { return buffer.bytes() <= SharedAllReduce::kSlotBytes; }

/// The rank's slice of n elements, cut at cache lines so that no two ranks write one.
collective::Range slice_of(int64_t n, int ranks, int rank, Element element) {
  const int64_t line = 64 / bytes_of(element);
  const collective::Range lines = collective::chunk_range((n + line - 1) / line, ranks, rank);
  return {std::min(lines.begin * line, n), std::min(lines.end * line, n)};
}

}  // namespace

SharedAllReduce::SharedAllReduce(int ranks)
    : ranks_(ranks),
      notices_(std::make_unique<Notice[]>(static_cast<size_t>(kEntries * ranks))),
      slots_(new Slot[static_cast<size_t>(kEntries * ranks)]) {}  // uninitialized: written before it is read

void SharedAllReduce::publish_early(int rank, Part& part) {
  if (!entry_free(part.sequence)) return;
  publish(rank, part);
  part.state = Part::published;
}

bool SharedAllReduce::advance(int rank, Part& part, Touching& touching) {
  if (part.state == Part::queued) publish_early(rank, part);
  if (part.state == Part::queued) return false;
  if (part.state == Part::published) {
    if (!all_arrived(part)) return false;
    check_same(rank, part);
    if (is_short(part.buffer)) {
      reduce_slots(part);
    } else {
      touching.begin();
      reduce_slice(rank, part);
      touching.end();
    }
    notices_[index(part.sequence, rank)].done.store(part.sequence, std::memory_order_release);
    part.state = Part::reduced;
  }
  return is_short(part.buffer) || all_done(part);
}

/// An entry is used again when every rank is done with the operation that had it before.
bool SharedAllReduce::entry_free(int64_t sequence) const {
  for (int rank = 0; rank < ranks_; ++rank) {
    const int64_t done = notices_[index(sequence, rank)].done.load(std::memory_order_acquire);
    if (done < sequence - kEntries) return false;
  }
  return true;
}

void SharedAllReduce::publish(int rank, Part& part) {
  const size_t at = index(part.sequence, rank);
  Notice& notice = notices_[at];
  notice.data = part.buffer.data;
  notice.count = part.buffer.count;
  notice.element = part.buffer.element;
  notice.reduce = part.reduce;
  if (is_short(part.buffer) && part.buffer.count > 0) {
    std::memcpy(slots_[at].bytes.data(), part.buffer.data, static_cast<size_t>(part.buffer.bytes()));
  }
  notice.arrived.store(part.sequence, std::memory_order_release);
}

bool SharedAllReduce::all_arrived(const Part& part) const {
  for (int rank = 0; rank < ranks_; ++rank) {
    if (notices_[index(part.sequence, rank)].arrived.load(std::memory_order_acquire) != part.sequence) return false;
  }
  return true;
}

void SharedAllReduce::check_same(int rank, const Part& part) const {
  for (int other = 0; other < ranks_; ++other) {
    const Notice& notice = notices_[index(part.sequence, other)];
    LOCKSTEP_INVARIANT(
        notice.count == part.buffer.count && notice.element == part.buffer.element && notice.reduce == part.reduce,
        "native all_reduce {} has {} elements of {} bytes on rank {}, {} of {} on rank {}", part.sequence,
        part.buffer.count, bytes_of(part.buffer.element), rank, notice.count, bytes_of(notice.element), other);
  }
}

bool SharedAllReduce::all_done(const Part& part) const {
  for (int rank = 0; rank < ranks_; ++rank) {
    if (notices_[index(part.sequence, rank)].done.load(std::memory_order_acquire) < part.sequence) return false;
  }
  return true;
}

void SharedAllReduce::reduce_slots(Part& part) const {
  for (int rank = 0; rank < ranks_; ++rank) {
    combine(rank == 0 ? Combine::replace : combine_of(part.reduce), part.buffer,
            slots_[index(part.sequence, rank)].bytes.data());
  }
}

void SharedAllReduce::reduce_slice(int rank, const Part& part) const {
  const collective::Range slice = slice_of(part.buffer.count, ranks_, rank, part.buffer.element);
  const auto buffer_of = [&](int other) {
    return Buffer(notices_[index(part.sequence, other)].data, part.buffer.count, part.buffer.element);
  };
  if (ranks_ == 2) {
    combine_both(combine_of(part.reduce), buffer_of(0).part(slice.begin, slice.size()),
                 buffer_of(1).part(slice.begin, slice.size()).data);
    return;
  }
  alignas(64) std::byte sums[4096];  // a block that stays in the first cache
  const int64_t block = static_cast<int64_t>(sizeof(sums)) / bytes_of(part.buffer.element);
  for (int64_t begin = slice.begin; begin < slice.end; begin += block) {
    const int64_t count = std::min(block, slice.end - begin);
    for (int other = 0; other < ranks_; ++other) {
      combine(other == 0 ? Combine::replace : combine_of(part.reduce), {sums, count, part.buffer.element},
              buffer_of(other).part(begin, count).data);
    }
    for (int other = 0; other < ranks_; ++other) combine(Combine::replace, buffer_of(other).part(begin, count), sums);
  }
}

}  // namespace lockstep::comm
