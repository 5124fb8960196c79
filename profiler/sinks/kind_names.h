#pragma once

#include <array>
#include <string_view>

#include "adapters/contract/failure.h"
#include "profiler/activity/activity.h"

namespace lockstep::profiler {

inline constexpr std::array<std::string_view, 9> kKindNames = {
    "compute", "optimizer", "communication", "wait", "data", "recompute", "bubble", "step", "other"};
inline constexpr std::array<std::string_view, 4> kOriginNames = {"planned", "predicted", "virtual", "measured"};

inline constexpr std::array<std::string_view, 2> kWayNames = {"send", "recv"};

inline std::string_view kind_name(activity::Kind kind) { return kKindNames[static_cast<size_t>(kind)]; }
inline std::string_view origin_name(activity::Origin origin) { return kOriginNames[static_cast<size_t>(origin)]; }

/// The value whose name this is; throws Failure("usage").
template <class Value, size_t n>
Value value_named(const std::array<std::string_view, n>& names, std::string_view text) {
  for (size_t i = 0; i < n; ++i) {
    if (names[i] == text) return static_cast<Value>(i);
  }
  throw Failure("usage", fmt::format("\"{}\" is no kind, origin or way of activities", text));
}
inline activity::Kind kind_named(std::string_view text) { return value_named<activity::Kind>(kKindNames, text); }
inline activity::Origin origin_named(std::string_view text) {
  return value_named<activity::Origin>(kOriginNames, text);
}

}  // namespace lockstep::profiler
