// Opening, and campaigns.
#include "results/store/store.h"

#include <sqlite3.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "adapters/contract/failure.h"
#include "results/store/file_system.h"
#include "results/store/migrate.h"
#include "results/store/store_impl.h"

namespace lockstep::store {

namespace {

constexpr int kBusyTimeoutMs = 60'000;

int flags_of(OpenMode mode) {
  switch (mode) {
    case OpenMode::create:
      return SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
    case OpenMode::read_write:
      return SQLite::OPEN_READWRITE;
    case OpenMode::read_only:
      return SQLite::OPEN_READONLY;
  }
  return 0;
}

void require_file(const std::string& path, OpenMode mode) {
  if (std::filesystem::is_directory(path)) refuse({path, "", "", "a folder, not a results store", "name a file"});
  if (mode == OpenMode::create || std::filesystem::exists(path)) return;
  refuse({path, "", "", "no results store here",
          "measure something first (lockstep run quickstart), or name another file"});
}

// Changing the journal's mode does not go through the busy handler, so two processes that create the file at the same
// moment need their own patience.
void use_write_ahead_log(SQLite::Database& db, const std::string& path) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyTimeoutMs);
  for (;;) {
    try {
      const std::string mode = db.execAndGet("PRAGMA journal_mode = WAL").getString();
      if (mode == "wal") return;
      refuse({path, "", "", "its file system does not allow a write-ahead log (locks or shared memory missing)",
              "put the store on a local disk with --store; lockstep import FOLDER brings run folders in"});
    } catch (const SQLite::Exception& error) {
      if (error.getErrorCode() != SQLITE_BUSY || std::chrono::steady_clock::now() > deadline) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void prepare(SQLite::Database& db, const std::string& path, OpenMode mode) {
  db.exec("PRAGMA foreign_keys = ON");
  const int64_t newest = Store::newest_schema();
  const int64_t schema = schema_of(db, path, newest);
  if (mode == OpenMode::read_only) {
    if (schema == newest) return;
    if (schema == 0) refuse({path, "", "", "an empty file, not a results store", "name another file"});
    refuse({path, "schema", fmt::format("{}", schema),
            fmt::format("older than schema {}, and opened for reading only", newest),
            "open it once for writing: lockstep list does so"});
  }
  use_write_ahead_log(db, path);
  db.exec("PRAGMA synchronous = NORMAL");
  migrate(db, path, embedded_migrations());
}

constexpr const char* kCampaignColumns =
    "SELECT id, number, status, suite, suite_json, command_line, planned_json, planned_launches, started_utc_ns, "
    "ended_utc_ns, host, user, version FROM campaign c ";

CampaignRow read_campaign(Query& q) {
  CampaignRow row;
  row.id = q.text();
  row.number = q.integer();
  row.status = parse_campaign_status(q.text());
  row.suite = q.text();
  row.suite_json = q.text();
  row.command_line = q.text();
  row.planned_json = q.text();
  row.planned_launches = q.integer();
  row.started_utc_ns = q.integer();
  row.ended_utc_ns = q.integer();
  row.host = q.text();
  row.user = q.text();
  row.version = q.text();
  return row;
}

template <class Impl>
std::vector<CampaignRow> read_campaigns(Impl& impl, const std::string& rest, auto... values) {
  std::vector<CampaignRow> found = impl.rows(kCampaignColumns + rest, read_campaign, values...);
  const auto read_text = [](Query& q) { return q.text(); };
  for (CampaignRow& row : found) {
    row.tags = impl.rows("SELECT text FROM tag WHERE campaign = ? ORDER BY text", read_text, row.id);
  }
  return found;
}

std::optional<CampaignRow> first(std::vector<CampaignRow> rows) {
  return rows.empty() ? std::nullopt : std::make_optional(std::move(rows.front()));
}

}  // namespace

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

const std::string& Store::path() const { return impl_->path; }
void Store::interrupt() noexcept {
  impl_->interrupted = true;
  sqlite3_interrupt(impl_->db.getHandle());
}
void Store::answer_again() noexcept { impl_->interrupted = false; }
int64_t Store::data_version() {
  return guarded(path(), [&] { return impl_->db.execAndGet("PRAGMA data_version").getInt64(); });
}

int64_t Store::newest_schema() { return static_cast<int64_t>(embedded_migrations().size()); }

Store Store::open(const std::string& path, OpenMode mode) {
  require_file(path, mode);
  if (mode != OpenMode::read_only) require_locks(path);
  return guarded(path, [&] {
    auto impl = std::unique_ptr<Impl>(new Impl{path, SQLite::Database(path, flags_of(mode), kBusyTimeoutMs)});
    prepare(impl->db, path, mode);
    return Store(std::move(impl));
  });
}

void insert_campaign(SQLite::Database& db, CampaignRow& row) {
  row.number = db.execAndGet("SELECT coalesce(max(number), 0) + 1 FROM campaign").getInt64();
  Command insert(db, "INSERT INTO campaign VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert(row.id, row.number, to_text(row.status), row.suite, row.suite_json, row.command_line, row.planned_json,
         row.planned_launches, row.started_utc_ns, row.ended_utc_ns, row.host, row.user, row.version);
}

CampaignRow Store::begin_campaign(CampaignRow row) {
  if (row.id.empty()) row.id = make_id();
  if (row.started_utc_ns == 0) row.started_utc_ns = now_utc_ns();
  impl_->write([&] {
    insert_campaign(impl_->db, row);
    return 0;
  });
  return row;
}

void Store::end_campaign(const std::string& id, CampaignStatus status, int64_t ended_utc_ns) {
  const int changed = impl_->write([&] {
    Command update(impl_->db, "UPDATE campaign SET status = ?, ended_utc_ns = ? WHERE id = ?");
    return update(to_text(status), ended_utc_ns, id);
  });
  if (changed == 0) refuse({path(), "campaign", id, "no such campaign in this store", ""});
}

void Store::resume_campaign(const std::string& id) { end_campaign(id, CampaignStatus::running, 0); }

std::vector<CampaignRow> Store::campaigns() { return read_campaigns(*impl_, "ORDER BY number"); }

std::optional<CampaignRow> Store::campaign(int64_t number) {
  return first(read_campaigns(*impl_, "WHERE number = ?", number));
}

std::optional<CampaignRow> Store::campaign_tagged(const std::string& tag) {
  return first(read_campaigns(*impl_, "WHERE id = (SELECT campaign FROM tag WHERE text = ?)", tag));
}

}  // namespace lockstep::store
