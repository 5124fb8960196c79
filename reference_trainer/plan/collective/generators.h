#pragma once

#include "reference_trainer/plan/collective/algorithms.h"

/// The generators that the table of algorithms.cpp points at; each file's head says what it costs.
namespace lockstep::collective {

Program ring(Operation, int ranks, int root);
Cost ring_cost(Operation, int ranks, double bytes);

Program rabenseifner(Operation, int ranks, int root);
Cost rabenseifner_cost(Operation, int ranks, double bytes);

Program tree(Operation, int ranks, int root);
Cost tree_cost(Operation, int ranks, double bytes);

Program direct(Operation, int ranks, int root);
Cost direct_cost(Operation, int ranks, double bytes);

Cost native_cost(Operation, int ranks, double bytes);

/// A program without rounds.
Program empty_program(std::string_view algorithm, Operation, int ranks, int chunks, int root);

}  // namespace lockstep::collective
