#include "reference_trainer/plan/schedule/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "adapters/contract/failure.h"
#include "adapters/contract/nearest.h"

namespace lockstep::schedule {
namespace {

int any(int) { return 1; }
int even(int) { return 2; }
int of_ranks(int ranks) { return ranks; }

// clang-format off
constexpr Row kSchedules[] = {
    // name, source, generator, ranks, microbatches, rule, idle time, staggered, F = B only, in flight, both in words
    {"naive", "layer placement without pipelining (Dean et al. 2012)", naive, 1, any, "any", naive_idle, false, false, naive_in_flight, "(p-1)/p", "1"},
    {"gpipe", "Huang et al. 2019: all forwards, then all backwards", gpipe, 1, any, "any", gpipe_idle, false, false, gpipe_in_flight, "(p-1)/(m+p-1)", "m"},
    {"1f1b", "Narayanan et al. 2021, Fan et al. 2021: one forward, one backward", one_f_one_b, 1, any, "any", one_f_one_b_idle, false, false, one_f_one_b_in_flight, "(p-1)/(m+p-1)", "min(p-s, m)"},
    {"interleaved", "Narayanan et al. 2021 (Megatron-LM): 1f1b with v chunks a rank", interleaved, 1, of_ranks, "a multiple of p", interleaved_idle, false, false, interleaved_in_flight, "(p-1)/(v m+p-1)", "min(2(p-1-r)+(v-1)p+1, m v) chunks"},
    {"zb_h1", "Qi et al. 2023: weight gradients fill the drain", zb_h1, 1, any, "any; the formula for m >= p, W <= F, I", zb_h1_idle, true, false, zb_h1_in_flight, "(p-1)(F+I-W) idle", "min(p, m)"},
    {"zb_h2", "Qi et al. 2023: twice the forwards first, no bubble", zb_h2, 1, any, "any; the formula for m >= 2p-1, W <= F, I", zb_h2_idle, true, false, zb_h2_in_flight, "(p-1)(F+I-2W) idle", "min(2p-1, m)"},
    {"gems", "Jain et al. 2020: two replicas in opposite directions, in turn", gems, 1, any, "any", gems_idle, false, false, gems_in_flight, "(p-1)(m B+F) idle, B >= F", "1"},
    {"chimera", "Li and Hoefler 2021: two replicas in opposite directions at once", chimera, 2, even, "even (p too)", chimera_idle, false, true, chimera_in_flight, "(p-2)/(2m+p-2) where F = B, m = k p", "min(p-r, h) + min(r+1, h), h = min(p, m)/2"},
    {"arrival", "Singh and Bhatele 2022 (AxoNN): whichever message is there", arrival, 1, any, "any", one_f_one_b_idle, false, false, one_f_one_b_in_flight, "as 1f1b when nothing is late", "min(p-s, m)"},
    {"pipedream", "Narayanan et al. 2019: 1f1b without a flush", pipedream, 1, any, "any", pipedream_idle, false, false, one_f_one_b_in_flight, "0; (p-1)(F+B) idle once a run", "min(p-s, m)"},
};
// clang-format on

}  // namespace

std::span<const Row> schedules() { return kSchedules; }

const Row& find_schedule(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Row& row : kSchedules) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  refuse({.place = "schedule",
          .value = std::string(name),
          .rule = fmt::format("is none of {}", fmt::join(names, ", ")),
          .remedy = fmt::format("did you mean {}?", nearest(name, names))});
}

int nearest_microbatches(const Row& row, const Numbers& numbers) {
  const int multiple = row.microbatches_multiple(numbers.ranks);
  return std::max((2 * numbers.microbatches + multiple) / (2 * multiple), 1) * multiple;
}

std::string why_not(const Row& row, const Numbers& n) {
  if (n.ranks < 1 || n.microbatches < 1 || n.chunks < 1 || n.per_update < 1) {
    return fmt::format("{} of {} ranks, {} microbatches, {} chunks, {} microbatches an update: each is at least 1",
                       row.name, n.ranks, n.microbatches, n.chunks, n.per_update);
  }
  if (n.ranks % row.ranks_multiple != 0) {
    return fmt::format("{} needs pp a multiple of {}, not {}; the nearest legal one is {}", row.name,
                       row.ranks_multiple, n.ranks, n.ranks + 1);
  }
  const int legal = nearest_microbatches(row, n);
  if (legal == n.microbatches) return {};
  return fmt::format("{} on {} ranks needs m {}, not {}; the nearest legal one is m={}", row.name, n.ranks, row.rule,
                     n.microbatches, legal);
}

Schedule generate(std::string_view name, const Numbers& numbers) {
  const Row& row = find_schedule(name);
  if (const std::string reason = why_not(row, numbers); !reason.empty()) throw Failure("unsupported", reason);
  return row.generate(numbers);
}

double bubble(const Row& row, const Numbers& n, const Times& times) {
  const double idle = row.idle(n, times);
  const double work = static_cast<double>(n.microbatches) * n.chunks * (times.forward + times.backward());
  return idle / (work + idle);
}

std::vector<int> in_flight(const Row& row, const Numbers& numbers) {
  std::vector<int> out;
  for (int rank = 0; rank < numbers.ranks; ++rank) out.push_back(row.in_flight(numbers, rank));
  return out;
}

}  // namespace lockstep::schedule
