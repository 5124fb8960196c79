#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace lockstep::detail {

[[noreturn]] inline void invariant_broken(const char* file, int line, const char* condition,
                                          const std::string& values) {
  std::fprintf(stderr, "lockstep: broken invariant at %s:%d: %s: %s\n", file, line, condition, values.c_str());
  std::abort();
}

}  // namespace lockstep::detail

/// Aborts with the condition and the values behind it: for what only a defect of ours can cause.
#define LOCKSTEP_INVARIANT(condition, ...)                                                              \
  do {                                                                                                  \
    if (!(condition)) [[unlikely]]                                                                      \
      ::lockstep::detail::invariant_broken(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__)); \
  } while (false)
