#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace lockstep::store {

using SeriesValues = std::variant<std::vector<double>, std::vector<int64_t>>;

/// How a column lies in the file (see 0001_initial.sql): the shortest of the encodings that gives back the same bits.
/// Typical launches take about 15 bytes a step and rank in all, which is what keeps 10,000 of them under 1 GB.
struct EncodedSeries {
  std::string encoding;
  int64_t count = 0;
  std::vector<uint8_t> data;
};

EncodedSeries encode_series(const SeriesValues& values);

/// The same bits back. Throws Failure("setup") for an unknown encoding, or data that does not fit its count.
SeriesValues decode_series(const EncodedSeries& series);

}  // namespace lockstep::store
