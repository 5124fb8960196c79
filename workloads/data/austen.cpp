#include <fmt/format.h>
#include <zlib.h>

#include <fstream>
#include <iterator>
#include <string_view>

#include "workloads/data/readers.h"

namespace lockstep::workloads {

namespace {

constexpr std::string_view kHeldOut = "Persuasion";  // the first line of the novel that is the test set

/// A cursor over big-endian data that refuses to read past the end.
class Cursor {
 public:
  Cursor(const ReadRequest& request, const std::vector<uint8_t>& bytes) : request_(request), bytes_(bytes) {}

  bool done() const { return at_ == bytes_.size(); }
  const uint8_t* take(size_t count) {
    if (count > bytes_.size() - at_) fail("ends too early");
    at_ += count;
    return bytes_.data() + at_ - count;
  }
  uint32_t word() {
    const uint8_t* b = take(4);
    return uint32_t{b[0]} << 24 | uint32_t{b[1]} << 16 | uint32_t{b[2]} << 8 | b[3];
  }
  size_t left() const { return bytes_.size() - at_; }
  const uint8_t* here() const { return bytes_.data() + at_; }
  [[noreturn]] void fail(const std::string& what) const {
    data_missing(request_.reader, fmt::format("{}: {} (byte {})", request_.path(0).string(), what, at_));
  }

 private:
  const ReadRequest& request_;
  const std::vector<uint8_t>& bytes_;
  size_t at_ = 0;
};

std::vector<uint8_t> read_file(const ReadRequest& request) {
  std::ifstream in(request.path(0), std::ios::binary);
  if (!in) data_missing(request.reader, request.path(0).string() + " cannot be opened");
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The next zlib stream of the file: its size when inflated (4 bytes), then the stream.
std::vector<uint8_t> inflate_next(Cursor& file) {
  const uint32_t size = file.word();
  if (size > (1U << 28)) file.fail("a stream says it is larger than 256 MiB");
  std::vector<uint8_t> out(size);
  uLongf written = size;
  uLong read = file.left();
  if (uncompress2(out.data(), &written, file.here(), &read) != Z_OK || written != size) {
    file.fail("a zlib stream is damaged");
  }
  file.take(read);
  return out;
}

/// The lines of a novel, each ended by a newline: R's serialization (XDR form, version 3, see "R Internals", section
/// 1.8) of one character vector.
std::vector<uint8_t> novel(const ReadRequest& request, const std::vector<uint8_t>& stream) {
  constexpr uint32_t kStrings = 16, kString = 9, kTypeMask = 0xFF, kMissing = 0xFFFFFFFF;
  Cursor in(request, stream);
  if (std::string_view(reinterpret_cast<const char*>(in.take(2)), 2) != "X\n") in.fail("is no R serialization in XDR");
  if (in.word() != 3) in.fail("is not version 3 of R's serialization");
  in.take(8);          // the writer's version and the oldest reader's
  in.take(in.word());  // the native encoding: strings say their own
  if ((in.word() & kTypeMask) != kStrings) in.fail("is no character vector");
  std::vector<uint8_t> out;
  for (uint32_t count = in.word(); count > 0; --count) {
    if ((in.word() & kTypeMask) != kString) in.fail("has an element that is no string");
    const uint32_t length = in.word();
    if (length == kMissing) in.fail("has a missing string");
    const uint8_t* line = in.take(length);
    out.insert(out.end(), line, line + length);
    out.push_back('\n');
  }
  return out;
}

}  // namespace

RawData read_austen(const ReadRequest& request) {
  const std::vector<uint8_t> bytes = read_file(request);
  RawData out{{{"bytes", {}, {}}}, {{"bytes", {}, {}}}};
  for (Cursor file(request, bytes); !file.done();) {
    const std::vector<uint8_t> text = novel(request, inflate_next(file));
    const std::string_view title(reinterpret_cast<const char*>(text.data()), std::min(text.size(), kHeldOut.size()));
    auto& part = (title == kHeldOut ? out.test : out.train)[0].values;
    part.insert(part.end(), text.begin(), text.end());
  }
  return out;
}

}  // namespace lockstep::workloads
