#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/store/migrate.h"
#include "tests/results/store_records.h"

namespace lockstep::store {
namespace {

using testing::failure_of;
using testing::Folder;

constexpr Migration kSteps[] = {{"one", "CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (7)"},
                                {"two", "ALTER TABLE t ADD COLUMN y INTEGER; UPDATE t SET y = x + 1"},
                                {"three", "CREATE TABLE u (z INTEGER); SELECT no_such_function(1)"}};

SQLite::Database open(const Folder& folder) { return {folder.file(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE}; }

size_t copies(const Folder& folder) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    count += entry.path().extension() == ".bak";
  return count;
}

TEST(Migrate, BringsAnOldFileForwardAfterACopy) {
  Folder folder;
  SQLite::Database db = open(folder);
  migrate(db, folder.file(), std::span(kSteps).first(1));
  EXPECT_EQ(copies(folder), 0u);  // there was nothing to copy
  migrate(db, folder.file(), std::span(kSteps).first(2));
  EXPECT_EQ(db.execAndGet("SELECT y FROM t").getInt(), 8);
  EXPECT_EQ(schema_of(db, folder.file(), 2), 2);
  ASSERT_EQ(copies(folder), 1u);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().extension() != ".bak") continue;
    SQLite::Database copy(entry.path().string());
    EXPECT_EQ(schema_of(copy, entry.path().string(), 2), 1);
    EXPECT_EQ(copy.execAndGet("SELECT x FROM t").getInt(), 7);
  }
  migrate(db, folder.file(), std::span(kSteps).first(2));
  EXPECT_EQ(copies(folder), 1u);
}

TEST(Migrate, AStepThatFailsChangesNothing) {
  Folder folder;
  SQLite::Database db = open(folder);
  migrate(db, folder.file(), std::span(kSteps).first(1));
  EXPECT_THROW(migrate(db, folder.file(), kSteps), SQLite::Exception);
  EXPECT_EQ(schema_of(db, folder.file(), 3), 1);
  EXPECT_FALSE(db.tableExists("u"));
  EXPECT_THROW(db.exec("SELECT y FROM t"), SQLite::Exception);
}

TEST(Migrate, AVersionWithoutTablesIsACutOffCreation) {
  Folder folder;
  SQLite::Database db = open(folder);
  db.exec("PRAGMA application_id = " + std::to_string(kApplicationId));
  EXPECT_NE(failure_of([&] { schema_of(db, folder.file(), 1); }).find("cut off"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::store
