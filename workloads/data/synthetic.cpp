#include <algorithm>
#include <array>

#include "workloads/data/philox.h"
#include "workloads/data/readers.h"

namespace lockstep::workloads {

namespace {

constexpr uint64_t kSeed = 1;  // data is data: it does not change with the recipe's seed

/// Fills `out` with random bytes: byte i is byte i % 16 of block i / 16.
void random_bytes(const Draws& draws, std::vector<uint8_t>& out) {
  for (size_t i = 0; i < out.size(); i += 16) {
    const PhiloxBlock block = draws.block(i / 16);
    for (size_t j = i; j < std::min(i + 16, out.size()); ++j) {
      out[j] = static_cast<uint8_t>(block[(j - i) / 4] >> 8 * (j % 4));
    }
  }
}

/// Images of a class are its prototype (random bytes) and noise in equal parts, scaled to 0 ... top.
std::vector<RawArray> images(const Reader& like, const std::string& part, int64_t count) {
  RawArray image{"image", like.shape, {}}, label{"label", {}, {}};
  const size_t pixels = image.record_bytes();
  std::vector<uint8_t> prototypes(pixels * static_cast<size_t>(like.classes));
  random_bytes(Draws(kSeed, "prototypes"), prototypes);
  image.values.resize(pixels * static_cast<size_t>(count));
  random_bytes(Draws(kSeed, part + ".image"), image.values);
  const Draws classes(kSeed, part + ".label");
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    const auto chosen = static_cast<uint8_t>(classes.bounded(i, static_cast<uint64_t>(like.classes)));
    label.values.push_back(chosen);
    for (size_t p = 0; p < pixels; ++p) {
      const int mixed = (image.values[i * pixels + p] + prototypes[chosen * pixels + p]) / 2;
      image.values[i * pixels + p] = static_cast<uint8_t>(mixed * (like.top + 1) / 256);
    }
  }
  return {std::move(image), std::move(label)};
}

/// A Markov chain over 32 letters in which each has four possible successors, the first by far the likeliest.
std::vector<RawArray> chain(const std::string& part, int64_t count) {
  constexpr uint8_t kLetters = 32, kFirst = 'A';
  constexpr std::array<int, 8> kChoice = {0, 0, 0, 0, 0, 1, 2, 3};
  const Draws draws(kSeed, part + ".bytes"), successors(kSeed, "successors");
  RawArray bytes{"bytes", {}, {}};
  uint64_t letter = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int choice = kChoice[draws.bounded(static_cast<uint64_t>(i), kChoice.size())];
    letter = successors.bounded(letter * 4 + static_cast<uint64_t>(choice), kLetters);
    bytes.values.push_back(static_cast<uint8_t>(kFirst + letter));
  }
  return {std::move(bytes)};
}

}  // namespace

RawData make_synthetic_images(const ReadRequest& request) {
  return {images(request.like, "train", request.train), images(request.like, "test", request.test)};
}

RawData make_synthetic_bytes(const ReadRequest& request) {
  return {chain("train", request.train), chain("test", request.test)};
}

}  // namespace lockstep::workloads
