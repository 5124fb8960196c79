#include "reference_trainer/plan/exchange.h"

#include <algorithm>

namespace lockstep::plan {

using graph::Interval;

namespace {

Interval block(int64_t n, int64_t index, int64_t count) {
  const int64_t each = n / count, longer = n % count;
  const int64_t begin = index * each + std::min(index, longer);
  return {begin, begin + each + (index < longer ? 1 : 0)};
}

}  // namespace

namespace {

/// Positions of the axis that a member of a halo exchange sends on average, of how many it has.
double halo_fraction(const Exchange& exchange) {
  double sent = 0, had = 0;
  for (size_t i = 0; i < exchange.shares.size(); ++i) {
    had += static_cast<double>(length(exchange.shares[i]));
    for (size_t j = 0; j < exchange.needs.size(); ++j) {
      if (i != j) sent += static_cast<double>(length(common(exchange.shares[i], exchange.needs[j])));
    }
  }
  return sent / had;
}

}  // namespace

int64_t rows_sent(const Exchange& exchange, int64_t samples) {
  const int64_t each = exchange.samples_a_row;
  return each == 0 ? std::min<int64_t>(samples, 1) : (samples + each - 1) / each;
}

double sent_by_rank(const Exchange& exchange, const Mesh& mesh, double bytes) {
  const double p = mesh.size(exchange.conversion.axis);
  switch (exchange.conversion.kind) {
    case Conversion::all_reduce:
      return 2 * (p - 1) / p * bytes;
    case Conversion::reduce_scatter:
    case Conversion::all_gather:
    case Conversion::all_to_all:
      return (p - 1) / p * bytes;
    case Conversion::rotate:
      return bytes;
    case Conversion::halo:
    case Conversion::halo_sum:
      return halo_fraction(exchange) * bytes;
    case Conversion::slice:
    case Conversion::zero_others:
      break;
  }
  return 0;
}

std::vector<Interval> share(int64_t n, Axis axis, int index, int count) {
  std::vector<Interval> intervals;
  if (axis == Axis::cp) {
    intervals = {block(n, index, 2 * count), block(n, 2 * count - 1 - index, 2 * count)};
  } else {
    intervals = {block(n, index, count)};
  }
  std::erase_if(intervals, [](const Interval& interval) { return interval.size() == 0; });
  return intervals;
}

std::vector<Interval> within(const std::vector<Interval>& outer, const std::vector<Interval>& inner) {
  std::vector<Interval> result;
  for (const Interval& part : inner) {
    int64_t start = 0;  // of the outer interval, counted along outer
    for (const Interval& interval : outer) {
      const int64_t begin = std::max(part.begin, start), end = std::min(part.end, start + interval.size());
      if (begin < end) result.push_back({interval.begin + begin - start, interval.begin + end - start});
      start += interval.size();
    }
  }
  return result;
}

std::vector<Interval> common(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  std::vector<Interval> found;
  for (const Interval& x : a) {
    for (const Interval& y : b) {
      const Interval both{std::max(x.begin, y.begin), std::min(x.end, y.end)};
      if (both.begin < both.end) found.push_back(both);
    }
  }
  return found;
}

int64_t length(const std::vector<Interval>& intervals) {
  int64_t sum = 0;
  for (const Interval& interval : intervals) sum += interval.size();
  return sum;
}

std::vector<Interval> owned(int64_t n, const std::vector<Axis>& axes, const Mesh& mesh, int rank) {
  std::vector<Interval> intervals = {{0, n}};
  for (Axis axis : axes)
    intervals = within(intervals, share(length(intervals), axis, mesh.coordinate(rank, axis), mesh.size(axis)));
  return intervals;
}

}  // namespace lockstep::plan
