#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference_trainer/plan/text/term.h"

namespace lockstep::text {

/// What a parser throws inside this folder: where, what was expected, and an edit that brings the text nearer to a
/// legal one. parse_or_refuse turns it into a Failure.
struct SyntaxError {
  size_t position = 0;
  std::string rule;
  size_t replaced = 0;      ///< so many characters from `position` on ...
  std::string replacement;  ///< ... become this; both empty: no edit is known
};

/// A cursor over a text. Reading past the end gives '\0'.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  size_t position() const { return position_; }
  bool done() const { return position_ >= text_.size(); }
  char peek() const { return done() ? '\0' : text_[position_]; }
  bool take(char c);
  bool take(std::string_view word);
  /// The longest run of letters, digits and `also`.
  std::string_view take_run(std::string_view also);
  std::string_view take_digits();
  std::string_view take_letters();

  /// Fails at `position` with "RULE, found TOKEN".
  [[noreturn]] void fail(size_t position, std::string rule, size_t replaced = 0, std::string replacement = "") const;
  [[noreturn]] void fail(std::string rule) const { fail(position_, std::move(rule)); }
  /// Fails where the text goes on although a whole form has been read.
  void expect_end(std::string_view or_else) const;

 private:
  std::string_view text_;
  size_t position_ = 0;
};

/// A-Z as a-z.
std::string lower_case(std::string_view text);

/// [A-Za-z0-9_]+; `what` names it in the message.
std::string scan_name(Scanner& in, std::string_view what);
/// [a-z0-9][a-z0-9_-]*
std::string scan_id(Scanner& in, std::string_view what);
/// argument { "," argument }; bare values first, each key once. In workloads, systems and fabrics a value may hold "/".
enum class Bare : bool { no, yes };
enum class Slash : bool { no, yes };
std::vector<Argument> scan_arguments(Scanner& in, Bare bare, Slash slash);

/// Keys in the order of `first`, then others by name; bare values keep their order and stand before all keys.
void order_keys(std::vector<Argument>& arguments, std::span<const std::string_view> first);
/// Keys in the order of `first`, then others as written, then those of `last`.
void order_keys(std::vector<Argument>& arguments, std::span<const std::string_view> first,
                std::span<const std::string_view> last);

/// The shortest text of a decimal number ("1e-3" is 0.001, "007" is 7); anything else as it is.
std::string canonical_number(std::string_view text);

/// Runs `parse_and_print` on `text`; a SyntaxError becomes Failure("usage") with column, text, rule and the nearest
/// legal form, which is found by applying edits and then by cutting the text back; `last_resort` is legal.
void parse_or_refuse(std::string_view what, std::string_view text, std::string_view last_resort,
                     const std::function<std::string(Scanner&)>& parse_and_print);

}  // namespace lockstep::text
