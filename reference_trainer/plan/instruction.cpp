#include "reference_trainer/plan/instruction.h"

#include <fmt/format.h>

namespace lockstep::plan {

std::string print(const Instruction& i) {
  switch (i.op) {
    case Instruction::load:
      return fmt::format("load m{}", i.microbatch);
    case Instruction::run:
      return fmt::format("run {}..{} m{}", i.first, i.last, i.microbatch);
    case Instruction::accumulate:
      return fmt::format("accumulate m{}", i.microbatch);
    case Instruction::start:
      return fmt::format("start bucket {}", i.first);
    case Instruction::gather:
      return fmt::format("gather bucket {}", i.first);
    case Instruction::wait:
      return fmt::format("wait bucket {}", i.first);
    case Instruction::decide:
      return "decide";
    case Instruction::probe:
      return "probe";
    case Instruction::update:
      return "update";
  }
  return "";
}

std::string print(const std::vector<Instruction>& program) {
  std::string text;
  for (const Instruction& instruction : program) text += print(instruction) + "\n";
  return text;
}

}  // namespace lockstep::plan
