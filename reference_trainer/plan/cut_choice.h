#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "reference_trainer/graph/graph.h"
#include "reference_trainer/plan/schedule/schedule.h"
#include "reference_trainer/plan/stages/cut.h"
#include "reference_trainer/plan/text/strategy.h"
#include "reference_trainer/plan/work.h"

namespace lockstep::plan {

/// Where a strategy cuts the whole graph into its schedule's stages, by the term `stages`: balanced by FLOPs and what
/// crosses borders (without the term too), equal numbers of layers, or before the forward ops that it names. Throws
/// Failure: "unsupported" (too few places to cut, a place where none is legal), "usage" (no such op, another number of
/// stages, or what only with_chosen_cut() can decide).
stages::Cut cut_of(const graph::Graph& differentiated, const text::Strategy& strategy,
                   const schedule::Schedule& schedule, int64_t real_bytes);

/// What a launch took, in place of FLOPs, in nanoseconds of a sample.
struct MeasuredCosts {
  std::map<std::string, double> of_op;  ///< by the name of each forward op: it and its backward
  double of_byte = 0.5;                 ///< of a byte over a border: 2 GB/s
};

/// Nanoseconds of a sample of each forward op with its backward, from what the ops of the differentiated graph took,
/// which an op fused into the one before it did there. An op that took no time has none.
std::map<std::string, double> costs_by_forward_op(const graph::Graph& forward,
                                                  const std::map<std::string, double>& ns_by_op);

/// A strategy that cuts its stages by measured costs, or has a limit of memory, with the ops in their place before
/// which it then cuts: pp2/stages:balanced,fit=1GiB/1f1b:m=4 becomes pp2/stages:conv2/1f1b:m=4. So a plan needs neither
/// costs nor limit, and all ranks have one cut. Any other strategy as it is.
///
/// `costs`: in place of FLOPs; null: none. With a limit it is the fastest cut of those that were looked at whose
/// planned peak keeps it on every rank: the fastest of all, and from there on each the fastest of those that keep less.
/// Pure. Throws Failure("unsupported") when none does, with the least limit, and what make_plan() throws.
text::Strategy with_chosen_cut(const graph::Graph& forward, const text::Strategy& strategy, const Work& work,
                               const MeasuredCosts* costs = nullptr);

}  // namespace lockstep::plan
