#include "reference_trainer/plan/schedule/periodic.h"

#include <algorithm>
#include <limits>

namespace lockstep::schedule {
namespace {

Action shifted(Action action, int by) {
  if (action.microbatch >= 0) action.microbatch += by;
  return action;
}

/// Actions that one body has: those of `shift` microbatches.
size_t body_length(const Actions& list, int shift) {
  return static_cast<size_t>(
      std::ranges::count_if(list, [&](const Action& a) { return a.microbatch >= 0 && a.microbatch < shift; }));
}

/// The longest stretch [begin, end) in which list[i + length] is list[i] moved on by `shift` microbatches.
std::pair<size_t, size_t> longest_stretch(const Actions& list, size_t length, int shift) {
  std::pair<size_t, size_t> best{0, 0};
  size_t begin = 0;
  for (size_t i = 0; i + length <= list.size(); ++i) {
    if (i + length < list.size() && list[i + length] == shifted(list[i], shift)) continue;
    if (i - begin > best.second - best.first) best = {begin, i};
    begin = i + 1;
  }
  return best;
}

Periodic cut(const Actions& list, size_t begin, size_t length, int repetitions, int shift) {
  const auto at = [&](size_t i) { return list.begin() + static_cast<std::ptrdiff_t>(i); };
  if (repetitions == 0) return {list, {}, {}, 0, shift};
  const size_t end = begin + length * static_cast<size_t>(repetitions);
  return {{at(0), at(begin)}, {at(begin), at(begin + length)}, {at(end), list.end()}, repetitions, shift};
}

}  // namespace

Actions Periodic::unfolded() const {
  Actions out = prologue;
  for (int k = 0; k < repetitions; ++k) {
    for (const Action& action : body) out.push_back(shifted(action, k * shift));
  }
  out.insert(out.end(), epilogue.begin(), epilogue.end());
  return out;
}

std::vector<Periodic> fold(const Schedule& schedule) {
  const int shift = schedule.numbers.per_update;
  std::vector<size_t> begins, lengths;
  int repetitions = std::numeric_limits<int>::max();
  for (const Actions& list : schedule.ranks) {
    const size_t length = body_length(list, shift);
    const auto [begin, end] = longest_stretch(list, length, shift);
    const size_t times = length == 0 || end == begin ? 0 : (end - begin) / length + 1;
    repetitions = std::min(repetitions, static_cast<int>(times));
    begins.push_back(begin), lengths.push_back(length);
  }
  std::vector<Periodic> out;
  for (size_t rank = 0; rank < begins.size(); ++rank) {
    out.push_back(cut(schedule.ranks[rank], begins[rank], lengths[rank], repetitions, shift));
  }
  return out;
}

}  // namespace lockstep::schedule
