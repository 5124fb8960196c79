#pragma once

#include <span>
#include <string_view>

#include "reference_trainer/plan/collective/program.h"

namespace lockstep::collective {

/// The alpha-beta-gamma model (Hockney; Thakur et al. 2005): a message of n bytes takes alpha + n beta, and reducing n
/// bytes takes gamma n at the receiver, whose port is busy meanwhile. A rank sends one message and receives one
/// message at a time, both at once.
struct Link {
  double alpha = 0;  ///< seconds a message
  double beta = 0;   ///< seconds a byte sent
  double gamma = 0;  ///< seconds a byte reduced
};

/// What an algorithm costs, as counts: how often each of the model's parameters stands on the critical path.
struct Cost {
  double messages = 0;  ///< times alpha
  double moved = 0;     ///< bytes, times beta
  double reduced = 0;   ///< bytes, times gamma
  double sent = 0;      ///< most bytes that one rank sends
  int rounds = 0;       ///< most rounds that one rank goes through
  double seconds(const Link& link) const { return messages * link.alpha + moved * link.beta + reduced * link.gamma; }
};

/// A row of the table of algorithms. Adding one = one small file, its line in CMakeLists.txt, one row in
/// algorithms.cpp; the tests iterate the table.
struct Algorithm {
  std::string_view name;
  std::string_view source;  ///< the paper and year, and the idea in a few words
  std::span<const Operation> operations;
  int fewest_ranks;
  int most_ranks;
  /// The program for `ranks` ranks; null for `native`, which is the transport's own.
  Program (*generate)(Operation, int ranks, int root);
  /// The formula for buffers of `bytes` bytes a rank; equal to what the simulator finds (see simulate.h).
  Cost (*cost)(Operation, int ranks, double bytes);

  bool does(Operation) const;
};

std::span<const Algorithm> algorithms();

/// The row of a name. Throws Failure("usage") that names the nearest one.
const Algorithm& find_algorithm(std::string_view name);

/// Why the algorithm cannot do this, or an empty text.
std::string why_not(const Algorithm&, Operation, int ranks);

/// The program; throws Failure("unsupported") with the reason of why_not().
Program generate(std::string_view algorithm, Operation, int ranks, int root = 0);

}  // namespace lockstep::collective
