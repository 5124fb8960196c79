#include "workloads/data/readers.h"

#include <fmt/format.h>
#include <xxhash.h>
#include <zlib.h>

#include <array>
#include <memory>
#include <numeric>

#include "adapters/contract/failure.h"

namespace lockstep::workloads {

namespace {

/// Fashion-MNIST as its package has it, or resized to the shape that a workload asks for.
Reader fashion_mnist(const char* name, bool resized) {
  return {.name = name,
          .package = "dataset-fashion-mnist",
          .files = {"/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz",
                    "/usr/share/datasets/fashion-mnist/train-labels-idx1-ubyte.gz",
                    "/usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz",
                    "/usr/share/datasets/fashion-mnist/t10k-labels-idx1-ubyte.gz"},
          .checksum = 0xbf649fea4fb5f203,
          .synthetic = "synthetic-images",
          .shape = {1, 28, 28},
          .classes = 10,
          .top = 255,
          .resized = resized,
          .read = read_fashion_mnist};
}

/// The novels' bytes, or windows of them with some masked.
Reader austen(const char* name, bool masked) {
  return {.name = name,
          .package = "r-cran-janeaustenr",
          .files = {"/usr/lib/R/site-library/janeaustenr/data/Rdata.rdb"},
          .checksum = 0xb812c222a93faecf,
          .synthetic = "synthetic-bytes",
          .masked = masked,
          .read = read_austen};
}

}  // namespace

const std::vector<Reader>& readers() {
  static const std::vector<Reader> rows = {
      fashion_mnist("fashion-mnist", false),
      fashion_mnist("fashion-mnist-resized", true),
      {.name = "digits",
       .package = "python3-sklearn",
       .files = {"/usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz"},
       .checksum = 0x3174280dbaf91623,
       .synthetic = "synthetic-images",
       .shape = {1, 8, 8},
       .classes = 10,
       .top = 16,
       .read = read_digits},
      austen("austen", false),
      austen("austen-masked", true),
      // In no package. Synthetic labels and tokens are bytes: the first 256 of the classes, of the vocabulary.
      {.name = "imagenet",
       .synthetic = "synthetic-images",
       .shape = {3, 224, 224},
       .classes = 256,
       .top = 255,
       .read = read_nothing},
      {.name = "cifar-10",
       .synthetic = "synthetic-images",
       .shape = {3, 32, 32},
       .classes = 10,
       .top = 255,
       .read = read_nothing},
      {.name = "books-and-wikipedia", .synthetic = "synthetic-bytes", .masked = true, .read = read_nothing},
      {.name = "webtext", .synthetic = "synthetic-bytes", .read = read_nothing},
      // In no package, and in need of none: made up.
      {.name = "clicks", .synthetic = "synthetic-clicks", .made = true, .read = make_clicks},
      {.name = "criteo", .synthetic = "synthetic-clicks", .made = true, .read = read_nothing},
      {.name = "synthetic-clicks", .made = true, .read = make_clicks},
      {.name = "synthetic-images", .read = make_synthetic_images},
      {.name = "synthetic-bytes", .read = make_synthetic_bytes},
  };
  return rows;
}

const Reader* find_reader(const std::string& name) {
  for (const Reader& reader : readers()) {
    if (reader.name == name) return &reader;
  }
  return nullptr;
}

std::vector<std::string> reader_names() {
  std::vector<std::string> out;
  for (const Reader& reader : readers()) out.push_back(reader.name);
  return out;
}

size_t RawArray::record_bytes() const {
  return std::accumulate(shape.begin(), shape.end(), size_t{1},
                         [](size_t n, int64_t size) { return n * static_cast<size_t>(size); });
}

std::filesystem::path ReadRequest::path(size_t file) const {
  return root / std::filesystem::path(reader.files.at(file)).relative_path();
}

uint64_t checksum_of(const RawData& data) {
  uint64_t sum = 0;
  for (const auto* part : {&data.train, &data.test}) {
    for (const RawArray& array : *part) sum = XXH3_64bits_withSeed(array.values.data(), array.values.size(), sum);
  }
  return sum;
}

void data_missing(const Reader& reader, const std::string& what) {
  throw Failure("data_missing",
                fmt::format("{}; the data set '{}' is in the Debian package {}: apt-get install "
                            "--no-install-recommends {} (or set LOCKSTEP_DATA to a folder that has the file under the "
                            "same path, or use data=synthetic)",
                            what, reader.name, reader.package, reader.package));
}

RawData read_nothing(const ReadRequest& request) {
  throw Failure("unsupported", fmt::format("the data set '{}' is in no package: a preset that names it can be planned, "
                                           "not trained; take another preset, or data=synthetic",
                                           request.reader.name));
}

std::vector<uint8_t> read_gzip(const ReadRequest& request, size_t file) {
  const std::string path = request.path(file).string();
  const std::unique_ptr<gzFile_s, decltype(&gzclose)> in(gzopen(path.c_str(), "rb"), &gzclose);
  if (!in) data_missing(request.reader, path + " cannot be opened");
  gzbuffer(in.get(), 1 << 18);
  std::vector<uint8_t> out;
  std::array<uint8_t, 1 << 16> buffer;
  int got = 0;
  while ((got = gzread(in.get(), buffer.data(), buffer.size())) > 0) {
    out.insert(out.end(), buffer.begin(), buffer.begin() + got);
  }
  if (got < 0 || gzeof(in.get()) == 0) data_missing(request.reader, path + " is damaged or cut short");
  return out;
}

}  // namespace lockstep::workloads
