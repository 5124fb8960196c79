#include <fmt/format.h>

#include <charconv>

#include "workloads/data/readers.h"

namespace lockstep::workloads {

namespace {

constexpr int64_t kPixels = 64;
constexpr int64_t kHeldOutEvery =
    3;  // every 3rd image is a test image: of 1,797, fewer would make the accuracy too coarse

/// The whole numbers of a CSV text, row by row; each row must have `columns` of them, below 256.
std::vector<uint8_t> numbers(const ReadRequest& request, const std::vector<uint8_t>& text) {
  std::vector<uint8_t> out;
  const char* at = reinterpret_cast<const char*>(text.data());
  const char* const end = at + text.size();
  while (at != end) {
    uint8_t value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    const bool last = static_cast<int64_t>(out.size()) % (kPixels + 1) == kPixels;
    if (error != std::errc() || stop == end || *stop != (last ? '\n' : ',')) {
      data_missing(request.reader, fmt::format("{}: row {} is not 64 pixels and a label", request.path(0).string(),
                                               out.size() / (kPixels + 1) + 1));
    }
    out.push_back(value);
    at = stop + 1;
  }
  return out;
}

}  // namespace

RawData read_digits(const ReadRequest& request) {
  const std::vector<uint8_t> values = numbers(request, read_gzip(request, 0));
  const auto& shape = request.reader.shape;
  RawData out{{{"image", shape, {}}, {"label", {}, {}}}, {{"image", shape, {}}, {"label", {}, {}}}};
  int64_t row = 0;
  for (auto at = values.begin(); at != values.end(); at += kPixels + 1, ++row) {
    auto& part = row % kHeldOutEvery == kHeldOutEvery - 1 ? out.test : out.train;
    part[0].values.insert(part[0].values.end(), at, at + kPixels);
    part[1].values.push_back(at[kPixels]);
  }
  return out;
}

}  // namespace lockstep::workloads
