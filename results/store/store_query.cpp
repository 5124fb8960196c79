// Reading launches and their samples.
#include <algorithm>

#include "results/store/series_codec.h"
#include "results/store/store_impl.h"

namespace lockstep::store {

namespace {

// The marks come along, apart by a character that no text has: one query for 10^5 launches, not one each.
constexpr char kBetweenMarks = '\x1f';
constexpr const char* kLaunchColumns =
    "SELECT l.id, l.campaign, l.number, l.cell, coalesce(l.environment, ''), l.repetition, l.block, l.seed, l.mode, "
    "l.status, l.error_kind, l.error_message, l.ended_by, l.steps, l.warmup, l.threads, l.started_utc_ns, "
    "l.ended_utc_ns, l.started_mono_ns, l.ended_mono_ns, l.load_before, l.load_after, l.bad_events, "
    "l.bad_events_text, l.supervisor_json, l.run_folder, l.git_json, "
    "coalesce((SELECT group_concat(text, char(31)) FROM (SELECT m.text FROM launch_mark m WHERE m.launch = l.id "
    "ORDER BY m.position)), '') "
    "FROM launch l JOIN campaign c ON c.id = l.campaign ";

std::vector<std::string> marks_of(const std::string& joined) {
  std::vector<std::string> out;
  for (size_t from = 0; from < joined.size();) {
    const size_t end = std::min(joined.find(kBetweenMarks, from), joined.size());
    out.push_back(joined.substr(from, end - from));
    from = end + 1;
  }
  return out;
}

LaunchRow read_launch(Query& q) {
  LaunchRow row;
  row.id = q.text();
  row.campaign = q.text();
  row.number = q.integer();
  row.cell = q.text();
  row.environment = q.text();
  row.repetition = q.integer();
  row.block = q.integer();
  row.seed = q.integer();
  row.mode = parse_launch_mode(q.text());
  row.status = parse_launch_status(q.text());
  row.error_kind = q.text();
  row.error_message = q.text();
  row.ended_by = q.text();
  row.steps = q.integer();
  row.warmup = q.integer();
  row.threads = q.integer();
  row.started_utc_ns = q.integer();
  row.ended_utc_ns = q.integer();
  row.started_mono_ns = q.integer();
  row.ended_mono_ns = q.integer();
  row.load_before = q.real();
  row.load_after = q.real();
  row.bad_events = q.integer();
  row.bad_events_text = q.text();
  row.supervisor_json = q.text();
  row.run_folder = q.text();
  row.git_json = q.text();
  row.marks = marks_of(q.text());
  return row;
}

template <class Impl>
std::vector<LaunchRow> read_launches(Impl& impl, const std::string& rest, auto... values) {
  return impl.rows(kLaunchColumns + rest, read_launch, values...);
}

std::optional<LaunchRow> first(std::vector<LaunchRow> rows) {
  return rows.empty() ? std::nullopt : std::make_optional(std::move(rows.front()));
}

SeriesRow read_series(Query& q) {
  SeriesRow row;
  row.rank = q.integer();
  row.name = q.text();
  row.unit = q.text();
  EncodedSeries encoded;
  encoded.count = q.integer();
  encoded.encoding = q.text();
  encoded.data = q.blob();
  row.values = decode_series(encoded);
  return row;
}

constexpr const char* kSeriesColumns = "SELECT rank, name, unit, count, encoding, data FROM series WHERE launch = ? ";

constexpr const char* kCellColumns =
    "SELECT cell.text, cell.workload, cell.system, cell.strategy, cell.fabric, cell.ranks, workload.json, "
    "strategy.json FROM cell JOIN workload ON workload.text = cell.workload "
    "JOIN strategy ON strategy.text = cell.strategy ";

CellRow read_cell(Query& q) {
  CellRow row;
  row.text = q.text();
  row.workload = q.text();
  row.system = q.text();
  row.strategy = q.text();
  row.fabric = q.text();
  row.ranks = q.integer();
  row.workload_json = q.text();
  row.strategy_json = q.text();
  return row;
}

template <class Enum>
std::string word(const std::optional<Enum>& value) {
  return value ? to_text(*value) : "";
}

}  // namespace

std::vector<LaunchRow> Store::launches(const LaunchFilter& filter) {
  return read_launches(*impl_,
                       "WHERE (?1 = '' OR l.campaign = ?1) AND (?2 = '' OR l.cell = ?2) AND (?3 = '' OR l.mode = ?3) "
                       "AND (?4 = '' OR l.status = ?4) ORDER BY c.number, l.number LIMIT ?5",
                       filter.campaign.value_or(""), filter.cell.value_or(""), word(filter.mode), word(filter.status),
                       filter.most > 0 ? static_cast<int64_t>(filter.most) : int64_t{-1});
}

std::optional<LaunchRow> Store::launch(int64_t campaign_number, int64_t number) {
  return first(read_launches(*impl_, "WHERE c.number = ? AND l.number = ?", campaign_number, number));
}

std::optional<LaunchRow> Store::launch(const std::string& id) {
  return first(read_launches(*impl_, "WHERE l.id = ?", id));
}

std::optional<CellRow> Store::cell(const std::string& text) {
  return impl_->row(std::string(kCellColumns) + "WHERE cell.text = ?", read_cell, text);
}

std::vector<CellRow> Store::cells(const std::string& campaign) {
  return impl_->rows(
      std::string(kCellColumns) +
          "JOIN (SELECT cell AS text, min(number) AS first FROM launch WHERE campaign = ? GROUP BY cell) "
          "AS planned ON planned.text = cell.text ORDER BY planned.first",
      read_cell, campaign);
}

// Launches are many and their rows long. Ids go by time, so that an index tells a cell's first campaign; in that one
// its first launch stands near the beginning, where the numbers are walked to it ("+cell": not by the index of cells).
std::vector<CellRow> Store::cells() {
  return impl_->rows(
      std::string(kCellColumns) +
          "JOIN (SELECT cell AS text, min(id) AS id FROM launch GROUP BY cell) AS known ON known.text = cell.text "
          "JOIN launch AS one ON one.id = known.id JOIN campaign ON campaign.id = one.campaign ORDER BY "
          "campaign.number, "
          "(SELECT number FROM launch WHERE campaign = one.campaign AND +cell = one.cell ORDER BY number LIMIT 1)",
      read_cell);
}

std::optional<EnvironmentRow> Store::environment(const std::string& hash) {
  const auto read = [](Query& q) {
    EnvironmentRow row;
    row.hash = q.text();
    row.json = q.text();
    return row;
  };
  return impl_->row("SELECT hash, json FROM environment WHERE hash = ?", read, hash);
}

std::vector<ProcessRow> Store::processes(const std::string& launch) {
  const auto read = [](Query& q) {
    ProcessRow row;
    row.rank = q.integer();
    row.role = q.text();
    row.host = q.text();
    row.pid = q.integer();
    row.exit_code = q.optional_integer();
    row.signal = q.optional_integer();
    row.peak_rss_bytes = q.optional_integer();
    row.peak_pss_bytes = q.optional_integer();
    row.device_bytes = q.optional_integer();
    return row;
  };
  return impl_->rows(
      "SELECT rank, role, host, pid, exit_code, signal, peak_rss_bytes, peak_pss_bytes, device_bytes FROM process "
      "WHERE launch = ? ORDER BY rowid",
      read, launch);
}

std::vector<SeriesRow> Store::series(const std::string& launch) {
  return impl_->rows(std::string(kSeriesColumns) + "ORDER BY rowid", read_series, launch);
}

std::optional<SeriesRow> Store::series(const std::string& launch, int64_t rank, const std::string& name) {
  return impl_->row(std::string(kSeriesColumns) + "AND rank = ? AND name = ?", read_series, launch, rank, name);
}

std::vector<EvaluationRow> Store::evaluations(const std::string& launch) {
  const auto read = [](Query& q) {
    EvaluationRow row;
    row.rank = q.integer();
    row.step = q.integer();
    row.samples_seen = q.integer();
    row.metric = q.text();
    row.value = q.real();
    row.weights = q.text();
    row.mono_ns = q.integer();
    return row;
  };
  return impl_->rows(
      "SELECT rank, step, samples_seen, metric, value, weights, mono_ns FROM evaluation WHERE launch = ? ORDER BY "
      "rowid",
      read, launch);
}

std::vector<MemoryRow> Store::memory(const std::string& launch) {
  const auto read = [](Query& q) {
    MemoryRow row;
    row.rank = q.integer();
    row.category = q.text();
    row.bytes = q.integer();
    row.peak_bytes = q.integer();
    return row;
  };
  return impl_->rows("SELECT rank, category, bytes, peak_bytes FROM memory WHERE launch = ? ORDER BY rowid", read,
                     launch);
}

std::vector<MetricRow> Store::metrics(const std::string& launch) {
  const auto read = [](Query& q) {
    MetricRow row;
    row.rank = q.integer();
    row.step = q.integer();
    row.name = q.text();
    row.unit = q.text();
    row.value = q.real();
    return row;
  };
  return impl_->rows("SELECT rank, step, name, unit, value FROM metric WHERE launch = ? ORDER BY rowid", read, launch);
}

std::vector<FingerprintRow> Store::fingerprints(const std::string& launch) {
  const auto read = [](Query& q) {
    FingerprintRow row;
    row.step = q.integer();
    row.tensor = q.text();
    row.parameter_norm = q.real();
    const bool has_gradient = q.integer() != 0;
    const double norm = q.real();
    if (has_gradient) row.gradient_norm = norm;
    return row;
  };
  return impl_->rows(
      "SELECT step, tensor, parameter_norm, has_gradient, gradient_norm FROM fingerprint WHERE launch = ? ORDER BY "
      "rowid",
      read, launch);
}

std::vector<ArtifactRow> Store::artifacts(const std::string& launch) {
  const auto read = [](Query& q) {
    ArtifactRow row;
    row.kind = q.text();
    row.path = q.text();
    row.format = q.text();
    row.bytes = q.integer();
    row.hash = q.text();
    return row;
  };
  return impl_->rows("SELECT kind, path, format, bytes, hash FROM artifact WHERE launch = ? ORDER BY rowid", read,
                     launch);
}

}  // namespace lockstep::store
