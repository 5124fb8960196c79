#pragma once

#include <string>

namespace SQLite {
class Exception;
}

namespace lockstep::store {

/// Throws the Failure that an SQLite error means to a person: busy -> "deadline"; not a database -> "usage"; damaged,
/// full, I/O -> "setup".
[[noreturn]] void rethrow(const SQLite::Exception& error, const std::string& path);

/// Runs `work` and turns SQLite's exceptions into Failures that name the file.
template <class Work>
auto guarded(const std::string& path, Work&& work) {
  try {
    return work();
  } catch (const SQLite::Exception& error) {
    rethrow(error, path);
  }
}

}  // namespace lockstep::store
