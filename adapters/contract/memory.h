#pragma once

#include <cstdint>
#include <optional>

namespace lockstep::contract {

/// Memory of this process in bytes, from /proc/self.
struct ProcessMemory {
  int64_t rss = 0;
  int64_t peak_rss = 0;
  /// Proportional set size: pages shared with other processes count in equal shares.
  int64_t pss = 0;
  /// pss + (peak_rss - rss): the kernel keeps no peak of PSS, and what was given back since the peak of RSS is private
  /// memory, as a rule.
  int64_t peak_pss() const { return pss + (peak_rss > rss ? peak_rss - rss : 0); }
};

/// Nothing where /proc does not tell. Takes about a millisecond: keep it outside the timed region.
std::optional<ProcessMemory> process_memory();

/// Starts a new peak of RSS (/proc/self/clear_refs), to be called after the warm-up. False where the system does not
/// let us; the peak then includes the preparation.
bool reset_peak_memory();

}  // namespace lockstep::contract
