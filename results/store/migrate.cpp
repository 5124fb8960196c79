#include "results/store/migrate.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "adapters/contract/failure.h"
#include "results/store/id.h"

namespace lockstep::store {

int64_t schema_of(SQLite::Database& db, const std::string& path, int64_t newest) {
  // One statement, hence one snapshot: another process may be creating the file at this moment.
  SQLite::Statement header(db,
                           "SELECT (SELECT application_id FROM pragma_application_id), "
                           "(SELECT user_version FROM pragma_user_version), count(*) FROM sqlite_master");
  header.executeStep();
  const int64_t application = header.getColumn(0).getInt64();
  const int64_t version = header.getColumn(1).getInt64();
  const bool empty = header.getColumn(2).getInt64() == 0;
  if (empty && application == 0 && version == 0) return 0;
  if (application != kApplicationId) {
    refuse({path, "", "", "a database of some other program, not a results store", "name another file with --store"});
  }
  if (version > newest) {
    refuse({path, "schema", fmt::format("{}", version),
            fmt::format("made by a newer lockstep; this one knows schema {}", newest), "use the newer lockstep"});
  }
  if (version < 1 || empty) {
    refuse({path, "schema", fmt::format("{}", version), "a store without tables: its creation was cut off",
            "restore a copy, or move it away and start a new one"});
  }
  return version;
}

void migrate(SQLite::Database& db, const std::string& path, std::span<const Migration> migrations) {
  const auto newest = static_cast<int64_t>(migrations.size());
  const int64_t before = schema_of(db, path, newest);
  if (before == newest) return;
  if (before > 0) {
    SQLite::Statement copy(db, "VACUUM INTO ?");
    copy.bind(1, fmt::format("{}.schema{}-{}.bak", path, before, make_id()));
    copy.exec();
  }
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  const int64_t now = schema_of(db, path, newest);  // another process may have done it while this one waited
  for (int64_t i = now; i < newest; ++i) db.exec(migrations[static_cast<size_t>(i)].sql);
  db.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
  db.exec(fmt::format("PRAGMA user_version = {}", newest));
  transaction.commit();
}

}  // namespace lockstep::store
