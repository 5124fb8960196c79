#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "workloads/data/input.h"

namespace lockstep::workloads {

/// One array of a part: records of `shape` bytes each, row-major ({} for one byte a record).
struct RawArray {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<uint8_t> values;

  size_t record_bytes() const;
};

struct RawData {
  std::vector<RawArray> train, test;
};

/// One kind of data. A new one is a row of the table in readers.cpp and a small file with its `read`.
struct Reader {
  std::string name;
  std::string package;             // the Debian package; empty for synthetic data
  std::vector<std::string> files;  // where the package puts them
  uint64_t checksum = 0;           // of what `read` gives, see checksum_of; 0: not checked
  std::string synthetic;           // the reader that stands in for it under data=synthetic
  std::vector<int64_t> shape;      // of a record
  int classes = 0;                 // labels are 0 ... classes - 1
  int top = 255;                   // the largest stored value of a record's elements
  bool masked = false;             // text becomes that of a masked language model
  bool made = false;               // its records have the sizes of the workload's inputs
  bool resized = false;            // images take the size of the workload's input
  RawData (*read)(const struct ReadRequest&) = nullptr;
};

/// What a reader gets: its row, the row of the data that a synthetic one imitates (else its own), the folder that
/// stands for "/", how many records of each part will be used (readers of files may give all they have), and the
/// workload's inputs (of readers that make records to measure).
struct ReadRequest {
  const Reader& reader;
  const Reader& like;
  std::filesystem::path root;
  int64_t train = 0, test = 0;
  std::vector<InputSpec> inputs = {};

  std::filesystem::path path(size_t file) const;
};

const std::vector<Reader>& readers();
/// nullptr when there is none of that name.
const Reader* find_reader(const std::string& name);
std::vector<std::string> reader_names();

/// XXH3 (64 bits) over the values of all arrays, train before test, in their order.
uint64_t checksum_of(const RawData& data);

/// Failure("data_missing") that names the package and the command that installs it.
[[noreturn]] void data_missing(const Reader& reader, const std::string& what);

/// All bytes of a gzip file (or of a plain one); data_missing when it cannot be read.
std::vector<uint8_t> read_gzip(const ReadRequest& request, size_t file);

RawData read_fashion_mnist(const ReadRequest& request);
RawData read_digits(const ReadRequest& request);
RawData read_austen(const ReadRequest& request);
/// Failure("unsupported"): what no package has can be planned with, not trained on.
RawData read_nothing(const ReadRequest& request);
RawData make_synthetic_images(const ReadRequest& request);
RawData make_synthetic_bytes(const ReadRequest& request);
RawData make_clicks(const ReadRequest& request);

}  // namespace lockstep::workloads
