#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "results/store/store.h"
#include "tests/results/store_records.h"

namespace lockstep::store {
namespace {

using ::testing::AllOf;
using testing::failure_of;
using testing::Folder;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string opening(const std::string& path, OpenMode mode = OpenMode::create) {
  return failure_of([&] { Store::open(path, mode); });
}

void fill(const std::string& path) {
  Store store = Store::open(path, OpenMode::create);
  const CampaignRow campaign = store.begin_campaign({});
  for (int i = 1; i <= 20; ++i) {
    LaunchRecord record = testing::record(campaign, i, testing::cell("mlp:tiny", "reference", "serial"));
    record.series.push_back({1, "noise", "", std::vector<double>(500, i)});
    record.series.back().values = std::vector<double>{};
    for (int j = 0; j < 500; ++j) std::get<std::vector<double>>(record.series.back().values).push_back(j * 0.1);
    store.import_launch(record);
  }
}

TEST(BrokenStore, MissingFile) {
  Folder folder;
  EXPECT_THAT(opening(folder.file(), OpenMode::read_write),
              AllOf(StartsWith("usage"), HasSubstr("no results store here")));
  EXPECT_THAT(opening(folder.file(), OpenMode::read_only), HasSubstr("no results store here"));
  EXPECT_THAT(opening(folder.file("no/such/folder/x.db")), AllOf(StartsWith("usage"), HasSubstr("cannot be opened")));
  EXPECT_THAT(opening(folder.path().string()), HasSubstr("a folder"));
}

TEST(BrokenStore, NotADatabase) {
  Folder folder;
  std::ofstream(folder.file()) << std::string(5000, 'x');
  EXPECT_THAT(opening(folder.file()),
              AllOf(StartsWith("usage"), HasSubstr("not a database"), HasSubstr(folder.file())));
}

TEST(BrokenStore, DatabaseOfAnotherProgram) {
  Folder folder;
  SQLite::Database(folder.file(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE music (title TEXT)");
  EXPECT_THAT(opening(folder.file()), AllOf(StartsWith("usage"), HasSubstr("some other program")));
}

TEST(BrokenStore, NewerSchema) {
  Folder folder;
  fill(folder.file());
  SQLite::Database(folder.file(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  for (const OpenMode mode : {OpenMode::create, OpenMode::read_write, OpenMode::read_only}) {
    EXPECT_THAT(opening(folder.file(), mode), AllOf(StartsWith("usage"), HasSubstr("99"), HasSubstr("newer lockstep")));
  }
}

TEST(BrokenStore, Truncated) {
  Folder folder;
  fill(folder.file());
  const auto size = std::filesystem::file_size(folder.file());
  ASSERT_GT(size, 16384u);
  for (const auto left : {size / 2, size - 4096, uintmax_t{4096}, uintmax_t{50}}) {
    std::filesystem::copy_file(folder.file(), folder.file("cut.db"), std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(folder.file("cut.db"), left);
    EXPECT_THAT(opening(folder.file("cut.db")), AllOf(StartsWith("setup"), HasSubstr("damaged"))) << left;
  }
}

TEST(BrokenStore, EmptyFileIsANewStoreOrNone) {
  Folder folder;
  std::ofstream(folder.file()).flush();
  EXPECT_THAT(opening(folder.file(), OpenMode::read_only), HasSubstr("an empty file"));
  EXPECT_EQ(opening(folder.file()), "");
  EXPECT_EQ(opening(folder.file(), OpenMode::read_only), "");
}

TEST(BrokenStore, ReadOnlyRefusesWrites) {
  Folder folder;
  fill(folder.file());
  Store store = Store::open(folder.file(), OpenMode::read_only);
  EXPECT_EQ(store.launches({}).size(), 20u);
  EXPECT_THAT(failure_of([&] { store.begin_campaign({}); }),
              AllOf(StartsWith("setup"), HasSubstr("may not be written")));
}

// What people see who open the file with other tools.
TEST(StoreViews, AnswerTheCommonQuestions) {
  Folder folder;
  fill(folder.file());
  SQLite::Database db(folder.file());
  EXPECT_EQ(db.execAndGet("SELECT finished_launches FROM campaigns WHERE selector = '@1'").getInt(), 20);
  SQLite::Statement launch(db, "SELECT cell, peak_memory_bytes, started_utc FROM launches WHERE selector = '@1.7'");
  ASSERT_TRUE(launch.executeStep());
  EXPECT_EQ(launch.getColumn(0).getString(), "mlp:tiny reference serial");
  EXPECT_EQ(launch.getColumn(1).getInt64(), 50 << 20);
  EXPECT_THAT(launch.getColumn(2).getString(), StartsWith("2026-11-"));
  EXPECT_EQ(db.execAndGet("PRAGMA integrity_check").getString(), "ok");
}

}  // namespace
}  // namespace lockstep::store
