#include "results/store/series_codec.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "adapters/contract/failure.h"

namespace lockstep::store {

namespace {

static_assert(std::endian::native == std::endian::little, "packed columns are written as they lie in memory");

using Bytes = std::vector<uint8_t>;

[[noreturn]] void damaged(const EncodedSeries& series, const char* rule) {
  throw Failure("setup", fmt::format("series of {} values as {} in {} bytes: {}; the store is damaged", series.count,
                                     series.encoding, series.data.size(), rule));
}

template <class T>
Bytes pack(const std::vector<T>& values) {
  Bytes out(values.size() * sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

template <class T>
std::vector<T> unpack(const EncodedSeries& series, int64_t count) {
  if (count < 0 || series.data.size() != static_cast<size_t>(count) * sizeof(T)) damaged(series, "wrong length");
  std::vector<T> out(static_cast<size_t>(count));
  if (!out.empty()) std::memcpy(out.data(), series.data.data(), series.data.size());
  return out;
}

// By bits, so that NaNs with the same payload are equal and -0 and 0 are not.
template <class T>
bool constant(const std::vector<T>& values) {
  const auto differs = [&](const T& v) { return std::memcmp(&v, values.data(), sizeof(T)) != 0; };
  return values.size() > 1 && std::none_of(values.begin(), values.end(), differs);
}

// Differences modulo 2^64, so that no pair of values overflows.
uint64_t zigzag(uint64_t difference) { return difference << 1 ^ (0 - (difference >> 63)); }
uint64_t unzigzag(uint64_t code) { return code >> 1 ^ (0 - (code & 1)); }

Bytes pack_delta(const std::vector<int64_t>& values) {
  Bytes out = pack(std::vector<int64_t>{values.front()});
  for (size_t i = 1; i < values.size(); ++i) {
    uint64_t code = zigzag(static_cast<uint64_t>(values[i]) - static_cast<uint64_t>(values[i - 1]));
    for (; code >= 0x80; code >>= 7) out.push_back(static_cast<uint8_t>(code | 0x80));
    out.push_back(static_cast<uint8_t>(code));
  }
  return out;
}

std::vector<int64_t> unpack_delta(const EncodedSeries& series) {
  if (series.data.size() < sizeof(int64_t) || series.count < 1) damaged(series, "too short");
  uint64_t value = 0;
  std::memcpy(&value, series.data.data(), sizeof value);
  std::vector<int64_t> out{static_cast<int64_t>(value)};
  for (size_t at = sizeof value; at < series.data.size();) {
    uint64_t code = 0;
    int shift = 0;
    uint8_t byte = 0x80;
    for (; (byte & 0x80) != 0 && at < series.data.size() && shift < 64; shift += 7) {
      byte = series.data[at++];
      code |= static_cast<uint64_t>(byte & 0x7F) << shift;
    }
    if ((byte & 0x80) != 0) damaged(series, "a value is cut off");
    value += unzigzag(code);
    out.push_back(static_cast<int64_t>(value));
  }
  if (out.size() != static_cast<size_t>(series.count)) damaged(series, "wrong number of values");
  return out;
}

template <class T>
std::vector<T> unpack_constant(const EncodedSeries& series) {
  if (series.count < 1) damaged(series, "a constant needs a count");
  return std::vector<T>(static_cast<size_t>(series.count), unpack<T>(series, 1).front());
}

EncodedSeries encode(const std::vector<double>& values) {
  const auto count = static_cast<int64_t>(values.size());
  if (constant(values)) return {"f64_const", count, pack(std::vector<double>{values.front()})};
  return {"f64", count, pack(values)};
}

EncodedSeries encode(const std::vector<int64_t>& values) {
  const auto count = static_cast<int64_t>(values.size());
  if (constant(values)) return {"i64_const", count, pack(std::vector<int64_t>{values.front()})};
  if (values.size() < 2) return {"i64", count, pack(values)};
  EncodedSeries delta{"i64_delta", count, pack_delta(values)};
  if (delta.data.size() < values.size() * sizeof(int64_t)) return delta;
  return {"i64", count, pack(values)};
}

}  // namespace

EncodedSeries encode_series(const SeriesValues& values) {
  return std::visit([](const auto& column) { return encode(column); }, values);
}

SeriesValues decode_series(const EncodedSeries& series) {
  if (series.encoding == "f64") return unpack<double>(series, series.count);
  if (series.encoding == "i64") return unpack<int64_t>(series, series.count);
  if (series.encoding == "f64_const") return unpack_constant<double>(series);
  if (series.encoding == "i64_const") return unpack_constant<int64_t>(series);
  if (series.encoding == "i64_delta") return unpack_delta(series);
  damaged(series, "unknown encoding");
}

}  // namespace lockstep::store
