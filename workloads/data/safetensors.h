#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::workloads {

/// The types of elements we read and write, by the format's names.
enum class DType { F32, F64, I32, I64, U8 };

size_t size_of(DType dtype);
std::string_view name_of(DType dtype);

template <class T>
constexpr DType dtype_of();
template <>
constexpr DType dtype_of<float>() {
  return DType::F32;
}
template <>
constexpr DType dtype_of<double>() {
  return DType::F64;
}
template <>
constexpr DType dtype_of<int32_t>() {
  return DType::I32;
}
template <>
constexpr DType dtype_of<int64_t>() {
  return DType::I64;
}
template <>
constexpr DType dtype_of<uint8_t>() {
  return DType::U8;
}

/// A named array somewhere in memory, row-major; owns nothing.
struct TensorView {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  const std::byte* data = nullptr;

  int64_t elements() const;
  size_t bytes() const { return static_cast<size_t>(elements()) * size_of(dtype); }
  /// The elements as T; Failure("setup") when the type is another.
  template <class T>
  std::span<const T> values() const {
    require(dtype_of<T>());
    return {reinterpret_cast<const T*>(data), static_cast<size_t>(elements())};
  }

 private:
  void require(DType wanted) const;
};

template <class T>
TensorView view(std::string name, std::vector<int64_t> shape, std::span<const T> values) {
  return {std::move(name), dtype_of<T>(), std::move(shape), reinterpret_cast<const std::byte*>(values.data())};
}

using Metadata = std::map<std::string, std::string>;

/// Writes a safetensors file (the format of huggingface/safetensors: 8 bytes of header length, JSON header, data).
/// Wide types come first, so every tensor is aligned to its element. Atomic: a temporary file beside it, then a rename.
void write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                       const Metadata& metadata = {});

/// A safetensors file, mapped read-only and checked: header length, types, shapes, offsets inside the file, no overlap
/// and no gap. Failure("setup") names the file and what is wrong with it. Views live as long as this object.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);
  ~SafetensorsFile();
  SafetensorsFile(SafetensorsFile&& other) noexcept;
  SafetensorsFile& operator=(SafetensorsFile&&) = delete;

  /// In the order of their names.
  const std::vector<TensorView>& tensors() const { return tensors_; }
  const Metadata& metadata() const { return metadata_; }
  /// nullptr when there is none of that name.
  const TensorView* find(std::string_view name) const;
  /// Failure("setup") when there is none of that name.
  const TensorView& at(std::string_view name) const;

 private:
  std::string path_;
  void* map_ = nullptr;
  size_t size_ = 0;
  std::vector<TensorView> tensors_;
  Metadata metadata_;
};

}  // namespace lockstep::workloads
