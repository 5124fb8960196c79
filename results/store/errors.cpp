#include "results/store/errors.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include "adapters/contract/failure.h"

namespace lockstep::store {

namespace {

struct ErrorRow {
  int code;  // SQLite's primary result code
  const char *kind, *rule, *remedy;
};

constexpr ErrorRow kErrors[] = {
    {SQLITE_BUSY, "deadline", "busy: another process has held its write lock for longer than a minute",
     "end that process, or try again"},
    {SQLITE_LOCKED, "deadline", "locked by another connection", "try again"},
    {SQLITE_NOTADB, "usage", "not a database", "name a results store with --store"},
    {SQLITE_CORRUPT, "setup", "damaged: its pages contradict each other (a truncated or overwritten file?)",
     "restore a copy, or save what is left with: sqlite3 FILE .recover"},
    {SQLITE_FULL, "setup", "no space left on its disk", "free space; nothing of this write was kept"},
    {SQLITE_READONLY, "setup", "may not be written", "check permissions, or name another file with --store"},
    {SQLITE_CANTOPEN, "usage", "cannot be opened", "check the path and its permissions"},
    {SQLITE_PERM, "usage", "access denied", "check permissions"},
    {SQLITE_INTERRUPT, "interrupted", "interrupted: something newer was asked", "nothing"},
    {SQLITE_IOERR, "setup", "input/output error", "check the disk and the file system"},
};

}  // namespace

void rethrow(const SQLite::Exception& error, const std::string& path) {
  const int code = error.getErrorCode() & 0xff;
  for (const ErrorRow& row : kErrors) {
    if (row.code != code) continue;
    throw Failure(row.kind, Complaint{path, "", "", fmt::format("{} ({})", row.rule, error.what()), row.remedy}.text());
  }
  throw Failure("internal", fmt::format("{}: SQLite: {} (code {})", path, error.what(), error.getExtendedErrorCode()));
}

}  // namespace lockstep::store
