#include "workloads/data/resize.h"

#include <algorithm>

#include "adapters/contract/invariant.h"

namespace lockstep::workloads {

namespace {

/// Where a pixel of the new image lies between two of the old one: `low` and `low + 1`, `part` of `whole` of the way.
struct Between {
  int64_t low, part, whole;
};

/// The centre of pixel i of `to` in an axis of `from` pixels is (2 i + 1) from / (2 to) - 1/2.
std::vector<Between> places(int64_t from, int64_t to) {
  std::vector<Between> out;
  for (int64_t i = 0; i < to; ++i) {
    const int64_t at = std::clamp<int64_t>((2 * i + 1) * from - to, 0, (from - 1) * 2 * to);
    out.push_back({std::min(at / (2 * to), std::max<int64_t>(from - 2, 0)), 0, 2 * to});
    out.back().part = at - out.back().low * 2 * to;
  }
  return out;
}

void resize_plane(const uint8_t* from, int64_t stride, const std::vector<Between>& rows,
                  const std::vector<Between>& columns, bool one_row, bool one_column, uint8_t* to) {
  for (const Between& row : rows) {
    const uint8_t *upper = from + row.low * stride, *lower = one_row ? upper : upper + stride;
    for (const Between& column : columns) {
      const int64_t next = one_column ? column.low : column.low + 1;
      const int64_t above = upper[column.low] * (column.whole - column.part) + upper[next] * column.part;
      const int64_t below = lower[column.low] * (column.whole - column.part) + lower[next] * column.part;
      const int64_t area = row.whole * column.whole;
      *to++ = static_cast<uint8_t>((above * (row.whole - row.part) + below * row.part + area / 2) / area);
    }
  }
}

}  // namespace

RawArray resized(const RawArray& images, const std::vector<int64_t>& shape, int64_t records) {
  const int64_t channels = images.shape.at(0), height = images.shape.at(1), width = images.shape.at(2);
  LOCKSTEP_INVARIANT(shape.size() == 3 && (channels == 1 || channels == shape[0]), "{} channels for {}", channels,
                     shape.size() == 3 ? shape[0] : 0);
  RawArray out{images.name, shape, {}};
  const auto have = static_cast<int64_t>(images.values.size() / images.record_bytes());
  records = std::min(records, have);
  out.values.resize(out.record_bytes() * static_cast<size_t>(records));
  const std::vector<Between> rows = places(height, shape[1]), columns = places(width, shape[2]);
  uint8_t* to = out.values.data();
  for (int64_t i = 0; i < records; ++i) {
    for (int64_t c = 0; c < shape[0]; ++c, to += shape[1] * shape[2]) {
      const int64_t plane = i * channels + (channels == 1 ? 0 : c);
      resize_plane(images.values.data() + plane * height * width, width, rows, columns, height == 1, width == 1, to);
    }
  }
  return out;
}

}  // namespace lockstep::workloads
