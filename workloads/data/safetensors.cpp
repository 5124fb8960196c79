#include "workloads/data/safetensors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "adapters/contract/failure.h"
#include "workloads/data/safetensors_header.h"

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian and are mapped as is");

namespace lockstep::workloads {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Failure("setup", fmt::format("{}: {}", path, what));
}

std::string system_error() { return std::generic_category().message(errno); }

}  // namespace

size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::U8:
      return 1;
    case DType::F32:
    case DType::I32:
      return 4;
    case DType::F64:
    case DType::I64:
      return 8;
  }
  return 0;
}

std::string_view name_of(DType dtype) {
  switch (dtype) {
    case DType::F32:
      return "F32";
    case DType::F64:
      return "F64";
    case DType::I32:
      return "I32";
    case DType::I64:
      return "I64";
    case DType::U8:
      return "U8";
  }
  return "";
}

int64_t TensorView::elements() const {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

void TensorView::require(DType wanted) const {
  if (dtype != wanted) fail(name, fmt::format("is {}, needed is {}", name_of(dtype), name_of(wanted)));
  const auto address = reinterpret_cast<uintptr_t>(data);
  if (address % size_of(dtype) != 0) fail(name, "is not aligned to its elements; write the file with wide types first");
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : path_(path.string()) {
  const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(path_, "cannot be opened: " + system_error());
  struct stat about {};
  const bool known = ::fstat(file, &about) == 0;
  size_ = known ? static_cast<size_t>(about.st_size) : 0;
  if (size_ > 0) map_ = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0);
  const std::string error = system_error();
  ::close(file);
  if (map_ == MAP_FAILED) map_ = nullptr;
  if (!known || (size_ > 0 && map_ == nullptr)) fail(path_, "cannot be mapped: " + error);
  try {
    SafetensorsHeader header = read_header(path_, {static_cast<const std::byte*>(map_), size_});
    tensors_ = std::move(header.tensors);
    metadata_ = std::move(header.metadata);
  } catch (...) {
    ::munmap(map_, size_);
    throw;
  }
}

SafetensorsFile::~SafetensorsFile() {
  if (map_ != nullptr) ::munmap(map_, size_);
}

SafetensorsFile::SafetensorsFile(SafetensorsFile&& other) noexcept
    : path_(std::move(other.path_)),
      map_(std::exchange(other.map_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      tensors_(std::move(other.tensors_)),
      metadata_(std::move(other.metadata_)) {}

const TensorView* SafetensorsFile::find(std::string_view name) const {
  const auto found = std::lower_bound(tensors_.begin(), tensors_.end(), name,
                                      [](const TensorView& tensor, std::string_view key) { return tensor.name < key; });
  return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

const TensorView& SafetensorsFile::at(std::string_view name) const {
  const TensorView* found = find(name);
  if (found == nullptr) fail(path_, fmt::format("has no tensor '{}'", name));
  return *found;
}

namespace {

/// A temporary file beside `path` that becomes it, or is removed.
class Replacement {
 public:
  explicit Replacement(const std::filesystem::path& path) : path_(path.string()), temporary_(path_ + ".XXXXXX") {
    file_ = ::mkstemp(temporary_.data());
    if (file_ < 0) fail(path_, "cannot be written: " + system_error());
  }
  ~Replacement() {
    if (file_ >= 0) ::close(file_);
    if (!done_) ::unlink(temporary_.c_str());
  }
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  void write(const void* data, size_t bytes) {
    for (auto at = static_cast<const char*>(data); bytes > 0;) {
      const ssize_t written = ::write(file_, at, bytes);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(path_, "cannot be written: " + system_error());
      at += written;
      bytes -= static_cast<size_t>(written);
    }
  }

  void commit() {
    constexpr mode_t kReadable = 0644;
    const bool ok = ::fchmod(file_, kReadable) == 0 && ::close(std::exchange(file_, -1)) == 0 &&
                    ::rename(temporary_.c_str(), path_.c_str()) == 0;
    if (!ok) fail(path_, "cannot be written: " + system_error());
    done_ = true;
  }

 private:
  std::string path_, temporary_;
  int file_ = -1;
  bool done_ = false;
};

}  // namespace

void write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                       const Metadata& metadata) {
  std::vector<TensorView> sorted(tensors.begin(), tensors.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return size_of(a.dtype) > size_of(b.dtype); });
  const std::string header = header_text(sorted, metadata);
  const uint64_t length = header.size();
  Replacement file(path);
  file.write(&length, sizeof length);
  file.write(header.data(), header.size());
  for (const TensorView& tensor : sorted) file.write(tensor.data, tensor.bytes());
  file.commit();
}

}  // namespace lockstep::workloads
