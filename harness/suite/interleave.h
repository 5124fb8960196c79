#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::suite {

/// The order of cells in each block: every cell once a block. Blocks come in twos: a shuffle (Fisher-Yates on seeded
/// draws) and its reverse, so that over two blocks each pair of cells stands once in either order and a steady drift of
/// the machine cancels in every paired comparison (ABBA). Pure: the same arguments give the same order everywhere.
std::vector<std::vector<int64_t>> interleave(int64_t cells, int64_t blocks, uint64_t seed);

}  // namespace lockstep::suite
