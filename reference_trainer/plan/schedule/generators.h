#pragma once

#include "reference_trainer/plan/schedule/schedule.h"

namespace lockstep::schedule {

/// Seconds, or any unit, of one microbatch at one stage. B takes input + weight.
struct Times {
  double forward = 1;
  double input = 1;
  double weight = 1;
  double backward() const { return input + weight; }
};

// The generators and, beside each, two formulas: the idle time of a rank in a step (equal stages, transfers that take
// no time), and the activations (of one microbatch at one stage) that a rank holds at most. Sources: in each file.

Schedule naive(const Numbers&);
double naive_idle(const Numbers&, const Times&);
int naive_in_flight(const Numbers&, int rank);

Schedule gpipe(const Numbers&);
double gpipe_idle(const Numbers&, const Times&);
int gpipe_in_flight(const Numbers&, int rank);

Schedule one_f_one_b(const Numbers&);
double one_f_one_b_idle(const Numbers&, const Times&);
int one_f_one_b_in_flight(const Numbers&, int rank);

Schedule interleaved(const Numbers&);
double interleaved_idle(const Numbers&, const Times&);
int interleaved_in_flight(const Numbers&, int rank);

Schedule zb_h1(const Numbers&);
double zb_h1_idle(const Numbers&, const Times&);
int zb_h1_in_flight(const Numbers&, int rank);

Schedule zb_h2(const Numbers&);
double zb_h2_idle(const Numbers&, const Times&);
int zb_h2_in_flight(const Numbers&, int rank);

Schedule gems(const Numbers&);
double gems_idle(const Numbers&, const Times&);
int gems_in_flight(const Numbers&, int rank);

Schedule chimera(const Numbers&);
double chimera_idle(const Numbers&, const Times&);
int chimera_in_flight(const Numbers&, int rank);

Schedule arrival(const Numbers&);

Schedule pipedream(const Numbers&);
double pipedream_idle(const Numbers&, const Times&);

/// 1F1B's list of one rank: `warmup` forwards, then a forward and a backward in turn, then the backwards that are left.
Actions one_f_one_b_list(int stage, int microbatches, int warmup);
/// The same with the backward split into I and W; W of a microbatch comes `lag` microbatches after its I.
Actions split_list(int stage, int microbatches, int warmup, int lag);

}  // namespace lockstep::schedule
