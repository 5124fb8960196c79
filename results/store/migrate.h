#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace SQLite {
class Database;
}

namespace lockstep::store {

/// "LOCK" in ASCII: what `file` and other tools recognise a store by (PRAGMA application_id).
inline constexpr int64_t kApplicationId = 0x4C4F434B;

/// Schema n is the n-th migration applied; PRAGMA user_version holds n.
struct Migration {
  const char* name;
  const char* sql;
};

std::span<const Migration> embedded_migrations();

/// The schema of an opened file: 0 for an empty one. Throws Failure("usage") where it is no store of ours or is newer
/// than `newest`, Failure("setup") where it is damaged.
int64_t schema_of(SQLite::Database& db, const std::string& path, int64_t newest);

/// Brings a file forward in one transaction, after a copy beside it ("lockstep.db.schema1-ID.bak") where it held
/// anything. Two processes that do so at once: one does, the other finds it done.
void migrate(SQLite::Database& db, const std::string& path, std::span<const Migration> migrations);

}  // namespace lockstep::store
