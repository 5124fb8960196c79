#include "workloads/data/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "adapters/contract/failure.h"
#include "adapters/contract/json_words.h"

namespace lockstep::workloads {

namespace {

constexpr size_t kLengthBytes = 8;
constexpr uint64_t kLongestHeader = 100'000'000;  // the limit of the format's own library

[[noreturn]] void reject(const std::string& path, const std::string& what) {
  throw Failure("setup", fmt::format("{}: is no good safetensors file: {}; delete it, it is written again when needed",
                                     path, what));
}

DType dtype_named(const std::string& path, const std::string& name) {
  for (const DType dtype : {DType::F32, DType::F64, DType::I32, DType::I64, DType::U8}) {
    if (name == name_of(dtype)) return dtype;
  }
  reject(path, fmt::format("type '{}' is none of F32, F64, I32, I64, U8", name));
}

/// The number of bytes of a shape; refuses negative sizes and products beyond `limit`.
size_t checked_bytes(const std::string& path, const TensorView& tensor, size_t limit) {
  size_t bytes = size_of(tensor.dtype);
  for (const int64_t size : tensor.shape) {
    if (size < 0) reject(path, fmt::format("tensor '{}' has the size {}", tensor.name, size));
    if (size > 0 && bytes > limit / static_cast<size_t>(size)) {
      reject(path, fmt::format("tensor '{}' is larger than the file", tensor.name));
    }
    bytes *= static_cast<size_t>(size);
  }
  return bytes;
}

/// Where a tensor's bytes begin and end behind the header.
struct Extent {
  size_t begin, end;
  std::string name;
};

Extent read_tensor(const std::string& path, const std::string& name, const nlohmann::json& entry,
                   std::span<const std::byte> data, TensorView& tensor) {
  tensor.name = name;
  tensor.dtype = dtype_named(path, entry.at("dtype").get<std::string>());
  tensor.shape = entry.at("shape").get<std::vector<int64_t>>();
  const auto [begin, end] = entry.at("data_offsets").get<std::array<size_t, 2>>();
  const size_t bytes = checked_bytes(path, tensor, data.size());
  if (begin > end || end > data.size() || end - begin != bytes) {
    reject(path,
           fmt::format("tensor '{}' needs {} bytes and lies at {} to {} of {}", name, bytes, begin, end, data.size()));
  }
  tensor.data = data.data() + begin;
  return {begin, end, name};
}

/// Tensors must cover the data once, without gap or overlap.
void check_cover(const std::string& path, std::vector<Extent> extents, size_t size) {
  std::sort(extents.begin(), extents.end(),
            [](const Extent& a, const Extent& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  size_t covered = 0;
  for (const Extent& extent : extents) {
    if (extent.begin != covered) {
      reject(path,
             fmt::format("tensor '{}' begins at {}, the one before it ends at {}", extent.name, extent.begin, covered));
    }
    covered = extent.end;
  }
  if (covered != size) reject(path, fmt::format("tensors end at {}, the data at {}", covered, size));
}

SafetensorsHeader read_json(const std::string& path, const nlohmann::json& json, std::span<const std::byte> data) {
  SafetensorsHeader out;
  std::vector<Extent> extents;
  for (const auto& [name, entry] : json.items()) {
    if (name == "__metadata__") {
      out.metadata = entry.get<Metadata>();
    } else {
      extents.push_back(read_tensor(path, name, entry, data, out.tensors.emplace_back()));
    }
  }
  check_cover(path, std::move(extents), data.size());
  return out;
}

}  // namespace

SafetensorsHeader read_header(const std::string& path, std::span<const std::byte> file) {
  uint64_t length = 0;
  if (file.size() < kLengthBytes) reject(path, fmt::format("it has only {} bytes", file.size()));
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > kLongestHeader || length > file.size() - kLengthBytes) {
    reject(path, fmt::format("the header says it has {} bytes, the file has {}", length, file.size()));
  }
  const auto* text = reinterpret_cast<const char*>(file.data()) + kLengthBytes;
  try {
    return read_json(path, nlohmann::json::parse(text, text + length), file.subspan(kLengthBytes + length));
  } catch (const nlohmann::json::exception& error) {
    reject(path, fmt::format("its header: {}", json_words(error.what())));
  }
}

std::string header_text(std::span<const TensorView> tensors, const Metadata& metadata) {
  nlohmann::json json = nlohmann::json::object();
  if (!metadata.empty()) json["__metadata__"] = metadata;
  size_t at = 0;
  for (const TensorView& tensor : tensors) {
    json[tensor.name] = {
        {"dtype", name_of(tensor.dtype)}, {"shape", tensor.shape}, {"data_offsets", {at, at + tensor.bytes()}}};
    at += tensor.bytes();
  }
  std::string text = json.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace lockstep::workloads
