#pragma once

#include <cstdint>
#include <string>

namespace lockstep::store {

/// Name of a file system type (statfs f_type) on which SQLite's write-ahead log does not work, "" for all others.
/// These are network and cluster file systems: their locks or shared memory do not hold between hosts.
const char* file_system_without_locks(int64_t type);

/// Throws Failure("usage") with the remedy where the folder of `path` is on such a file system.
void require_locks(const std::string& path);

}  // namespace lockstep::store
