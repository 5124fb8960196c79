#include "workloads/data/philox.h"

#include <xxhash.h>

namespace lockstep::workloads {

uint64_t name_hash(std::string_view name, uint64_t variant) {
  return XXH3_64bits_withSeed(name.data(), name.size(), variant);
}

}  // namespace lockstep::workloads
