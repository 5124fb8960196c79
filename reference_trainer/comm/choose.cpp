#include <bit>

#include "reference_trainer/comm/communicator.h"

namespace lockstep::comm {

// | operation                  | when                                  | algorithm    | why | | all_reduce | the
// transport has its own             | native       | knows the memory it runs on      | | all_reduce                 |
// a power of two of ranks, or <= 64 KiB | rabenseifner | fewest rounds                    | | all_reduce | else | ring
// | no fold: fewest bytes            | | reduce_scatter, all_gather | <= 8 ranks                            | direct |
// one round                        | | reduce_scatter, all_gather | else                                  | ring | one
// message at a time            | | broadcast, reduce          | always                                | tree         |
// the only one with those          | | all_to_all                 | always                                | direct |
// the only one with that           |
std::string_view choose_algorithm(Operation operation, int ranks, int64_t bytes, bool native_all_reduce) {
  constexpr int64_t kShort = 64 * 1024;
  constexpr int kFew = 8;
  switch (operation) {
    case Operation::all_reduce:
      if (native_all_reduce) return "native";
      return std::has_single_bit(static_cast<unsigned>(ranks)) || bytes <= kShort ? "rabenseifner" : "ring";
    case Operation::reduce_scatter:
    case Operation::all_gather:
      return ranks <= kFew ? "direct" : "ring";
    case Operation::broadcast:
    case Operation::reduce:
      return "tree";
    case Operation::all_to_all:
      return "direct";
  }
  return "tree";
}

}  // namespace lockstep::comm
