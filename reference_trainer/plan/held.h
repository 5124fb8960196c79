#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::plan {

/// Which part of a flat array a rank keeps: ranges of it, in order, one behind the other in memory.
struct Held {
  /// Elements [begin, begin + count) of the flat array lie at `at`.
  struct Range {
    int64_t begin = 0, count = 0, at = 0;
    bool operator==(const Range&) const = default;
  };
  std::vector<Range> ranges;
  bool sharded = false;  ///< ranks keep different parts; else each keeps all of it

  static Held whole(int64_t count) { return {{{0, count, 0}}, false}; }
  void add(int64_t begin, int64_t count) { ranges.push_back({begin, count, this->count()}); }
  /// Elements kept.
  int64_t count() const { return ranges.empty() ? 0 : ranges.back().at + ranges.back().count; }
  /// What is kept of [begin, begin + count) of the flat array.
  std::vector<Range> within(int64_t begin, int64_t count) const;
  /// How many elements that is.
  int64_t count_within(int64_t begin, int64_t count) const;
  /// Where an element that is kept lies.
  int64_t at(int64_t element) const { return within(element, 1).front().at; }
};

}  // namespace lockstep::plan
