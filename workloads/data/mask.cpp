#include "workloads/data/mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "adapters/contract/failure.h"
#include "workloads/data/philox.h"

namespace lockstep::workloads {

namespace {

constexpr uint64_t kMaskSeed = 1;  // data is data: it does not change with the recipe's seed
constexpr uint8_t kMask = 0;

/// `count` of the numbers below `of`, in order: the first of a shuffle (Fisher and Yates) by the draws from `at` on.
std::vector<uint8_t> choose(const Draws& draws, uint64_t at, size_t of, size_t count) {
  std::vector<uint8_t> all(of);
  std::iota(all.begin(), all.end(), uint8_t{0});
  for (size_t i = 0; i < count; ++i) std::swap(all[i], all[i + draws.bounded(at + i, of - i)]);
  all.resize(count);
  std::sort(all.begin(), all.end());
  return all;
}

uint8_t replaced(const Draws& kinds, const Draws& others, uint64_t at, const std::vector<uint8_t>& text, uint8_t byte) {
  const uint64_t kind = kinds.bounded(at, 10);
  if (kind < 8) return kMask;
  return kind == 8 ? text[others.bounded(at, text.size())] : byte;
}

}  // namespace

std::vector<RawArray> masked(const RawArray& bytes, int64_t window, int64_t places, const std::string& part) {
  const auto size = static_cast<size_t>(window), count = static_cast<size_t>(places);
  if (size > 256) {
    throw Failure("unsupported", fmt::format("a window of {} bytes: places to be guessed are stored as bytes, so a "
                                             "window has at most 256; take a smaller preset",
                                             window));
  }
  if (count > size) throw Failure("usage", fmt::format("{} places to be guessed of {} bytes", places, window));
  const Draws chosen(kMaskSeed, part + ".places"), kinds(kMaskSeed, part + ".kinds"),
      others(kMaskSeed, part + ".others");
  RawArray text{"masked", {}, bytes.values}, segments{"segments", {}, {}}, at{"places", {}, {}};
  RawArray originals{"originals", {}, {}};
  segments.values.resize(bytes.values.size());
  for (size_t i = 0; i < segments.values.size(); ++i) segments.values[i] = i % size < size / 2 ? 0 : 1;
  for (size_t w = 0; (w + 1) * size <= bytes.values.size(); ++w) {
    const std::vector<uint8_t> here = choose(chosen, w * count, size, count);
    for (size_t i = 0; i < count; ++i) {
      uint8_t& byte = text.values[w * size + here[i]];
      at.values.push_back(here[i]);
      originals.values.push_back(byte);
      byte = replaced(kinds, others, w * count + i, bytes.values, byte);
    }
  }
  return {std::move(text), std::move(segments), std::move(at), std::move(originals)};
}

}  // namespace lockstep::workloads
