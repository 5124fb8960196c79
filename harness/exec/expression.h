#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::exec {

/// A named group of a match.
struct Group {
  std::string_view name, text;  ///< into the expression and the line
};

/// A regular expression with named groups, `(?<loss>\S+)` or `(?P<loss>\S+)`: PCRE2's, the syntax of Perl and Python.
class Expression {
 public:
  /// Failure "usage" with the column and PCRE2's reason.
  explicit Expression(const std::string& text);
  ~Expression();
  Expression(Expression&&) noexcept;

  /// The groups that took part in the leftmost match, in the order of the expression; false where nothing matches.
  bool search(std::string_view line, std::vector<Group>& groups) const;
  /// Names of all groups.
  std::vector<std::string> names() const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace lockstep::exec
