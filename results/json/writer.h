#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::json {

/// Writes one JSON document, indented, without a tree in memory and without the heavy header of a JSON library.
/// Doubles are printed with the fewest digits that read back to the same value; NaN and infinities are the strings of
/// the adapter contract; text that is not UTF-8 gets U+FFFD where it is broken, so the result is always valid.
class Writer {
 public:
  Writer& open_object() { return open('{'); }
  Writer& open_array() { return open('['); }
  Writer& close();
  Writer& key(std::string_view name);

  Writer& value(std::string_view text);
  Writer& value(const char* text) { return value(std::string_view(text)); }
  Writer& value(double number);
  template <std::integral T>
  Writer& value(T number) {
    if constexpr (std::same_as<T, bool>) {
      return raw(number ? "true" : "false");
    } else {
      return raw(std::to_string(number));
    }
  }
  Writer& value(const std::vector<std::string>& list);
  /// Text that is JSON already.
  Writer& raw(std::string_view json);

  template <class T>
  Writer& member(std::string_view name, const T& content) {
    return key(name).value(content);
  }
  /// Missing values are absent.
  template <class T>
  Writer& member(std::string_view name, const std::optional<T>& content) {
    return content ? key(name).value(*content) : *this;
  }
  /// Absent where NaN: "missing values absent, never zero".
  Writer& known(std::string_view name, double number) { return number != number ? *this : member(name, number); }
  /// Absent where empty.
  Writer& known(std::string_view name, std::string_view text) { return text.empty() ? *this : member(name, text); }

  /// The document; every open_ must have been closed.
  const std::string& text() const { return out_; }

 private:
  Writer& open(char bracket);
  void before_value();
  void line();

  std::string out_, open_;
  bool first_ = true, after_key_ = false;
};

/// A JSON string with its quotes.
std::string quoted(std::string_view text);

}  // namespace lockstep::json
