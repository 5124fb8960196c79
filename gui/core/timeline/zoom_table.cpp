#include "gui/core/timeline/zoom_table.h"

#include <cmath>

namespace lockstep::gui::timeline {
namespace {

// 4^20 ns are 18 minutes; nobody looks at a pixel of more.
constexpr int kCoarsest = 20;

int64_t bucket_of(int64_t ns, int level) { return ns >> (2 * level); }

size_t buckets_at(const Columns& columns, uint32_t begin, uint32_t end, int level, size_t most) {
  size_t count = 0;
  int64_t last = 0;
  for (uint32_t i = begin; i < end && count <= most; ++i) {
    const int64_t bucket = bucket_of(columns.begin_ns[i], level);
    if (i == begin || bucket != last) ++count;
    last = bucket;
  }
  return count;
}

// The finest level with at most a quarter of the row's activities as buckets; above kCoarsest: none.
int finest(const Columns& columns, uint32_t begin, uint32_t end) {
  const size_t most = (end - begin) / 4;
  const double span = static_cast<double>(columns.begin_ns[end - 1] - columns.begin_ns[begin]) + 1;
  int level = std::max(0, static_cast<int>(std::floor(std::log2(span / static_cast<double>(end - begin)) / 2)));
  while (level <= kCoarsest && buckets_at(columns, begin, end, level, most) > most) ++level;
  while (level > 0 && level <= kCoarsest && buckets_at(columns, begin, end, level - 1, most) <= most) --level;
  return level;
}

// Takes what comes later into a bucket.
void join(Bucket& into, const Bucket& later, const Columns& columns) {
  const auto longer = [&](uint32_t a, uint32_t b) { return columns.length_ns(a) > columns.length_ns(b); };
  const bool one = into.second == into.longest, later_one = later.second == later.longest;
  if (longer(later.longest, into.longest)) {
    into.second = !later_one && longer(later.second, into.longest) ? later.second : into.longest;
    into.longest = later.longest;
  } else if (one || longer(later.longest, into.second)) {
    into.second = later.longest;
  }
  into.busy_ns += later.busy_ns;
}

}  // namespace

ZoomTable::ZoomTable(const Columns& columns) {
  std::vector<Kept> kept;
  buckets_.reserve(columns.size() / 2 + 2 * kCoarsest * columns.rows());
  for (uint32_t row = 0; row < columns.rows(); ++row) {
    add_row(columns, columns.row_begin[row], columns.row_begin[row + 1], kept);
    row_levels_.push_back(kept.size());
  }
  buckets_.shrink_to_fit();
  for (const Kept& one : kept) {
    levels_.push_back({one.level, std::span(buckets_.data() + one.begin, buckets_.data() + one.end)});
  }
}

// The first level from the activities, each coarser one from the last one that was kept.
void ZoomTable::add_row(const Columns& columns, uint32_t begin, uint32_t end, std::vector<Kept>& kept) {
  int level = finest(columns, begin, end);
  if (level > kCoarsest) return;
  const auto put = [&](int64_t& last, int at, const Bucket& bucket, size_t from) {
    const int64_t number = bucket_of(columns.begin_ns[bucket.first], at);
    if (buckets_.size() > from && number == last) {
      join(buckets_.back(), bucket, columns);
    } else {
      buckets_.push_back(bucket);
    }
    last = number;
  };
  size_t from = buckets_.size();
  int64_t last = 0;
  for (uint32_t i = begin; i < end; ++i) {
    put(last, level, {i, i, i, static_cast<float>(columns.length_ns(i))}, from);
  }
  size_t to = buckets_.size();
  buckets_.push_back({end, end, end, 0});
  kept.push_back({level, from, to});
  while (++level <= kCoarsest && to - from > 1) {
    const size_t next = buckets_.size();
    for (size_t b = from; b < to; ++b) {
      const Bucket bucket = buckets_[b];
      put(last, level, bucket, next);
    }
    if (2 * (buckets_.size() - next) > to - from) {
      buckets_.resize(next);  // hardly coarser
      continue;
    }
    from = next, to = buckets_.size();
    buckets_.push_back({end, end, end, 0});
    kept.push_back({level, from, to});
  }
}

std::span<const ZoomLevel> ZoomTable::levels(uint32_t row) const {
  return std::span(levels_.data() + row_levels_[row], levels_.data() + row_levels_[row + 1]);
}

const ZoomLevel* ZoomTable::level(uint32_t row, double ns) const {
  const ZoomLevel* out = nullptr;
  for (const ZoomLevel& level : levels(row)) {
    if (std::ldexp(1.0, 2 * level.level) > ns) break;
    out = &level;
  }
  return out;
}

}  // namespace lockstep::gui::timeline
