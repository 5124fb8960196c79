#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep::terms {

/// Where a term stands: axes in the mesh; layouts, schedules and passes after "/"; policies, wrappers and codecs after
/// "+"; collectives after "@".
enum class Kind : uint8_t { axis, layout, schedule, pass, policy, wrapper, codec, collective };

std::string_view name(Kind kind);
/// "/", "+", "@", or "" for axes.
std::string_view mark(Kind kind);

/// `layout`: one of the words, or rules of a table of one's own, which the planner reads (plan/rules/rule_text.h).
/// `ops`: one of the words, or names of a workload's ops, which the planner knows.
enum class Value : uint8_t { integer, number, size, word, layout, ops };

/// Of such a parameter a term may have several bare values.
inline bool is_list(Value value) { return value == Value::layout || value == Value::ops; }

/// What an argument may be. `key` is empty for the bare value.
struct Parameter {
  std::string_view key;
  Value value = Value::word;
  double least = 0, most = 0;   ///< for integer, number and size (bytes)
  std::string_view words = "";  ///< for word, layout and ops: the legal ones, separated by "|"; empty: any
  bool required = true;
};

inline constexpr int kMostParameters = 4;

/// One technique. A technique that this version does not do is a row too, with the reason.
struct Row {
  Kind kind = Kind::pass;
  std::string_view name;
  std::string_view meaning;
  std::array<Parameter, kMostParameters> parameters{};
  int parameter_count = 0;
  std::string_view needs = "";         ///< names of axes, "|" between alternatives: one of them with at least 2 ranks
  std::string_view conflicts = "";     ///< names of terms that cannot stand beside it, separated by ","
  std::string_view conflict_why = "";  ///< the reason of the conflicts
  std::string_view where = "";         ///< folder or file that implements it; empty where unsupported
  std::string_view because = "";       ///< why it is unsupported; empty where supported

  bool supported() const { return because.empty(); }
  std::span<const Parameter> takes() const { return {parameters.data(), static_cast<size_t>(parameter_count)}; }
};

/// Every term, in the order in which passes are printed. Names are unique over the terms that follow one mark.
std::span<const Row> table();

/// The row of a term after `mark` ("/", "+", "@", "" for an axis), or nullptr.
const Row* find(std::string_view mark, std::string_view name);

/// Names of all terms after `mark`, for "nearest legal form".
std::vector<std::string_view> names(std::string_view mark);

}  // namespace lockstep::terms
