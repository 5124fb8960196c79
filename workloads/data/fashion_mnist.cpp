#include <fmt/format.h>

#include "workloads/data/readers.h"

namespace lockstep::workloads {

namespace {

uint32_t big_endian(const std::vector<uint8_t>& bytes, size_t at) {
  return uint32_t{bytes[at]} << 24 | uint32_t{bytes[at + 1]} << 16 | uint32_t{bytes[at + 2]} << 8 | bytes[at + 3];
}

/// An "idx" file of bytes: magic 0x000008 and the rank, then a big-endian size a dimension, then the values.
RawArray read_idx(const ReadRequest& request, size_t file, std::string name, std::vector<int64_t> shape) {
  std::vector<uint8_t> bytes = read_gzip(request, file);
  const size_t rank = shape.empty() ? 1 : 3;  // images are [records, height, width], without the channel
  const size_t header = 4 + 4 * rank;
  RawArray out{std::move(name), std::move(shape), {}};
  if (bytes.size() < header || big_endian(bytes, 0) != 0x0800 + rank ||
      bytes.size() != header + big_endian(bytes, 4) * out.record_bytes()) {
    data_missing(request.reader, fmt::format("{} is no idx file of {}s", request.path(file).string(), out.name));
  }
  out.values.assign(bytes.begin() + static_cast<ptrdiff_t>(header), bytes.end());
  return out;
}

}  // namespace

RawData read_fashion_mnist(const ReadRequest& request) {
  const auto& shape = request.reader.shape;
  return {{read_idx(request, 0, "image", shape), read_idx(request, 1, "label", {})},
          {read_idx(request, 2, "image", shape), read_idx(request, 3, "label", {})}};
}

}  // namespace lockstep::workloads
