#pragma once

#include "reference_trainer/comm/communicator.h"
#include "reference_trainer/train/memory_block.h"

namespace lockstep::train {

/// A message that may still be on its way, with memory of its own.
struct Message {
  MemoryBlock memory;
  comm::Handle handle;
};

}  // namespace lockstep::train
