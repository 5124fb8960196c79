#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::text {

/// One argument of a term, workload, system or fabric. `key` is empty for a bare value such as the size of bucket:25MB.
struct Argument {
  std::string key;
  std::string value;
  bool operator==(const Argument&) const = default;
};

/// name[:argument{,argument}], as in accum:m=4. Bare values come first, in the order written.
struct Term {
  std::string name;
  std::vector<Argument> arguments;
  bool operator==(const Term&) const = default;

  /// The value of `key` ("" = the first bare value), or nullptr.
  const std::string* find(std::string_view key) const;
  /// The value of `key` as a whole number, which the table of terms has checked; `otherwise` where it is not given.
  int whole(std::string_view key, int otherwise) const;
};

std::string print(const std::vector<Argument>& arguments);
std::string print(const Term& term);

}  // namespace lockstep::text
