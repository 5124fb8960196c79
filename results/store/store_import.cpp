// Writing one launch, whole, in one transaction.
#include "adapters/contract/failure.h"
#include "results/store/series_codec.h"
#include "results/store/store_impl.h"

namespace lockstep::store {

namespace {

void insert_launch(SQLite::Database& db, const LaunchRow& row, const std::optional<std::string>& environment) {
  Command insert(db,
                 "INSERT INTO launch (id, campaign, number, cell, environment, repetition, block, seed, mode, status, "
                 "error_kind, error_message, ended_by, steps, warmup, threads, started_utc_ns, ended_utc_ns, "
                 "started_mono_ns, ended_mono_ns, load_before, load_after, bad_events, bad_events_text, "
                 "supervisor_json, run_folder, git_json) "
                 "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert(row.id, row.campaign, row.number, row.cell, environment, row.repetition, row.block, row.seed,
         to_text(row.mode), to_text(row.status), row.error_kind, row.error_message, row.ended_by, row.steps, row.warmup,
         row.threads, row.started_utc_ns, row.ended_utc_ns, row.started_mono_ns, row.ended_mono_ns, row.load_before,
         row.load_after, row.bad_events, row.bad_events_text, row.supervisor_json, row.run_folder, row.git_json);
  Command mark(db, "INSERT INTO launch_mark VALUES (?, ?, ?)");
  for (size_t i = 0; i < row.marks.size(); ++i) mark(row.id, static_cast<int64_t>(i), row.marks[i]);
}

void insert_series(SQLite::Database& db, const std::string& launch, const std::vector<SeriesRow>& rows) {
  SQLite::Statement insert(db, "INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?)");
  for (const SeriesRow& row : rows) {
    const EncodedSeries encoded = encode_series(row.values);
    put(insert, 1, launch);
    put(insert, 2, row.rank);
    put(insert, 3, row.name);
    put(insert, 4, row.unit);
    put(insert, 5, encoded.count);
    put(insert, 6, encoded.encoding);
    const void* data = encoded.data.empty() ? static_cast<const void*>("") : encoded.data.data();  // null: a NULL
    insert.bind(7, data, static_cast<int>(encoded.data.size()));
    insert.exec();
    insert.reset();
  }
}

void insert_processes(SQLite::Database& db, const std::string& launch, const std::vector<ProcessRow>& rows) {
  Command insert(db, "INSERT INTO process VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const ProcessRow& row : rows) {
    insert(launch, row.rank, row.role, row.host, row.pid, row.exit_code, row.signal, row.peak_rss_bytes,
           row.peak_pss_bytes, row.device_bytes);
  }
}

void insert_samples(SQLite::Database& db, const LaunchRecord& record) {
  const std::string& launch = record.launch.id;
  Command evaluation(db, "INSERT INTO evaluation VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  for (const EvaluationRow& row : record.evaluations) {
    evaluation(launch, row.rank, row.step, row.samples_seen, row.metric, row.value, row.weights, row.mono_ns);
  }
  Command memory(db, "INSERT INTO memory VALUES (?, ?, ?, ?, ?)");
  for (const MemoryRow& row : record.memory) memory(launch, row.rank, row.category, row.bytes, row.peak_bytes);
  Command metric(db, "INSERT INTO metric VALUES (?, ?, ?, ?, ?, ?)");
  for (const MetricRow& row : record.metrics) metric(launch, row.rank, row.step, row.name, row.unit, row.value);
  Command fingerprint(db, "INSERT INTO fingerprint VALUES (?, ?, ?, ?, ?, ?)");
  for (const FingerprintRow& row : record.fingerprints) {
    const int64_t has_gradient = row.gradient_norm.has_value() ? 1 : 0;
    fingerprint(launch, row.step, row.tensor, row.parameter_norm, has_gradient, row.gradient_norm);
  }
  Command artifact(db, "INSERT INTO artifact VALUES (?, ?, ?, ?, ?, ?)");
  for (const ArtifactRow& row : record.artifacts) {
    artifact(launch, row.kind, row.path, row.format, row.bytes, row.hash);
  }
}

bool is_final(LaunchStatus status) { return status != LaunchStatus::planned && status != LaunchStatus::running; }

bool known(SQLite::Database& db, const char* sql, const std::string& key) { return Query(db, sql, key).next(); }

void require_campaign(SQLite::Database& db, const LaunchRecord& record, const std::string& path) {
  if (known(db, "SELECT 1 FROM campaign WHERE id = ?", record.launch.campaign)) return;
  if (!record.campaign || record.campaign->id != record.launch.campaign) {
    refuse({path, "campaign", record.launch.campaign, "not in this store, and the launch does not bring it along", ""});
  }
  CampaignRow row = *record.campaign;
  insert_campaign(db, row);
}

// A record that brings no environment names one that is there already, or none.
std::optional<std::string> place_environment(SQLite::Database& db, const LaunchRecord& record) {
  const std::string& named = record.launch.environment;
  EnvironmentRow row = record.environment;
  if (row.hash.empty() && row.json == EnvironmentRow{}.json) {
    return named.empty() ? std::nullopt : std::make_optional(named);
  }
  if (row.hash.empty()) row.hash = named;
  return insert_environment(db, row);
}

void require_consistent(const LaunchRecord& record, const std::string& path) {
  const LaunchRow& launch = record.launch;
  if (!is_id(launch.id)) refuse({path, "launch id", launch.id, "32 lower-case hex digits", "make it with make_id"});
  if (launch.cell != record.cell.text) {
    refuse({path, "launch " + launch.id, launch.cell, "is not the cell that it brings along: " + record.cell.text, ""});
  }
}

}  // namespace

void insert_cell(SQLite::Database& db, const CellRow& row) {
  Command workload(db, "INSERT OR IGNORE INTO workload VALUES (?, ?)");
  workload(row.workload, row.workload_json);
  Command strategy(db, "INSERT OR IGNORE INTO strategy VALUES (?, ?)");
  strategy(row.strategy, row.strategy_json);
  Command cell(db, "INSERT OR IGNORE INTO cell VALUES (?, ?, ?, ?, ?, ?)");
  cell(row.text, row.workload, row.system, row.strategy, row.fabric, row.ranks);
}

std::string insert_environment(SQLite::Database& db, const EnvironmentRow& row) {
  std::string hash = row.hash.empty() ? content_hash(row.json) : row.hash;
  Command insert(db, "INSERT OR IGNORE INTO environment VALUES (?, ?)");
  insert(hash, row.json);
  return hash;
}

bool Store::import_launch(const LaunchRecord& record) {
  require_consistent(record, path());
  SQLite::Database& db = impl_->db;
  return impl_->write([&] {
    const std::string& id = record.launch.id;
    Query status(db, "SELECT status FROM launch WHERE id = ?", id);
    if (status.next() && is_final(parse_launch_status(status.text()))) return false;
    Command remove(db, "DELETE FROM launch WHERE id = ?");
    remove(id);
    require_campaign(db, record, path());
    insert_cell(db, record.cell);
    if (record.system) insert_system(db, *record.system);
    insert_launch(db, record.launch, place_environment(db, record));
    insert_processes(db, id, record.processes);
    insert_series(db, id, record.series);
    insert_samples(db, record);
    return true;
  });
}

}  // namespace lockstep::store
