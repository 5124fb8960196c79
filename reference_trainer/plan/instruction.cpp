#include "reference_trainer/plan/instruction.h"

#include <fmt/format.h>

namespace lockstep::plan {

namespace {

/// "m3", or with a second stage or activation memory in use "m3 stage 1 slot 2".
std::string work(const Instruction& i) {
  std::string text = fmt::format("m{}", i.microbatch);
  if (i.stage > 0) text += fmt::format(" stage {}", i.stage);
  if (i.slot > 0) text += fmt::format(" slot {}", i.slot);
  return text;
}

}  // namespace

std::string print(const Instruction& i) {
  switch (i.op) {
    case Instruction::load:
      return fmt::format("load {}", work(i));
    case Instruction::run:
      return fmt::format("run {}..{} {}", i.first, i.last, work(i));
    case Instruction::accumulate:
      return fmt::format("accumulate {}", work(i));
    case Instruction::share:
      return "share";
    case Instruction::start:
      return fmt::format("start bucket {}", i.first);
    case Instruction::gather:
      return fmt::format("gather bucket {}", i.first);
    case Instruction::wait:
      return fmt::format("wait bucket {}", i.first);
    case Instruction::replicate:
      return fmt::format("replicate bucket {}", i.first);
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
