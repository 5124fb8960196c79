#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::comm {

/// `b16`: numbers of 16 bits, of whatever format, which are moved and never added.
enum class Element : uint8_t { f32, f64, b16 };
enum class Reduce : uint8_t { sum, max };

/// The type whose numbers take so many bytes, for numbers that are only moved.
constexpr Element element_of(int64_t bytes) {
  return bytes == 2 ? Element::b16 : bytes == 4 ? Element::f32 : Element::f64;
}
constexpr int64_t bytes_of(Element element) { return element == Element::f32 ? 4 : element == Element::f64 ? 8 : 2; }

/// A typed, unowned buffer. Whoever starts an operation on it keeps it alive, and untouched, until the operation is
/// complete or its communicator is gone.
struct Buffer {
  std::byte* data = nullptr;
  int64_t count = 0;
  Element element = Element::f32;

  Buffer() = default;
  Buffer(std::byte* data_, int64_t count_, Element element_) : data(data_), count(count_), element(element_) {}
  Buffer(std::span<float> values)  // NOLINT: a span is a buffer
      : Buffer(reinterpret_cast<std::byte*>(values.data()), static_cast<int64_t>(values.size()), Element::f32) {}
  Buffer(std::span<double> values)  // NOLINT
      : Buffer(reinterpret_cast<std::byte*>(values.data()), static_cast<int64_t>(values.size()), Element::f64) {}

  int64_t bytes() const { return count * bytes_of(element); }
  Buffer part(int64_t begin, int64_t size) const { return {data + begin * bytes_of(element), size, element}; }
};

}  // namespace lockstep::comm
