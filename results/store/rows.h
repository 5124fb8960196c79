#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The rows of a results store as plain data. Times are nanoseconds: `*_utc_ns` since 1970 UTC, `*_mono_ns` on the
/// host's monotonic clock. Sizes are bytes. JSON travels as text. A NaN in a single value is kept (NULL in the file).
namespace lockstep::store {

enum class LaunchMode : uint8_t { time, verify, profile, converge };
enum class LaunchStatus : uint8_t { planned, running, finished, failed, skipped, interrupted };
/// Neither planned nor running.
inline bool is_over(LaunchStatus status) { return status != LaunchStatus::planned && status != LaunchStatus::running; }
enum class CampaignStatus : uint8_t { running, finished, interrupted, failed };
enum class ProofState : uint8_t { none, held, failed, reference };

const char* to_text(LaunchMode mode);
const char* to_text(LaunchStatus status);
const char* to_text(CampaignStatus status);
const char* to_text(ProofState state);
/// Throw Failure("usage") that lists the legal words.
LaunchMode parse_launch_mode(const std::string& text);
LaunchStatus parse_launch_status(const std::string& text);
CampaignStatus parse_campaign_status(const std::string& text);
ProofState parse_proof_state(const std::string& text);

/// Machine, devices, versions, flags, launcher; one row for each different one. `hash` empty: it is made from `json`.
/// Secrets must have been removed from `json` before.
struct EnvironmentRow {
  std::string hash;  ///< 32 hex digits
  std::string json = "{}";
};

/// One point of a suite, all of it canonical text, so that equal cells of several stores are equal rows.
struct CellRow {
  std::string text;                  ///< "gpt-austen:tiny reference dp2 on threads": the key
  std::string workload;              ///< "gpt-austen:tiny,lr=0.01"
  std::string system;                ///< "pytorch:env=torch-2.15"
  std::string strategy;              ///< "dp2"
  std::string fabric;                ///< "threads"; empty for one rank
  int64_t ranks = 1;                 ///< of the mesh
  std::string workload_json = "{}";  ///< resolved graph and recipe
  std::string strategy_json = "{}";  ///< parsed
};

struct CampaignRow {
  std::string id;      ///< 32 hex digits; made by begin_campaign where empty
  int64_t number = 0;  ///< in this store, from 1; given by begin_campaign
  CampaignStatus status = CampaignStatus::running;
  std::string suite;
  std::string suite_json = "{}";
  std::string command_line;
  std::string planned_json = "[]";  ///< the planned launches
  int64_t planned_launches = 0;
  int64_t started_utc_ns = 0;
  int64_t ended_utc_ns = 0;  ///< 0 while it runs
  std::string host, user, version;
  std::vector<std::string> tags;  ///< filled by queries; written by Store::tag
};

struct LaunchRow {
  std::string id;           ///< 32 hex digits, made where the launch was planned (make_id)
  std::string campaign;     ///< CampaignRow::id
  int64_t number = 0;       ///< in its campaign, from 1, unique there: the 7 of @14.7
  std::string cell;         ///< CellRow::text
  std::string environment;  ///< EnvironmentRow::hash; empty where the launch never started
  int64_t repetition = 0;   ///< from 0; repetition i uses seed base + i
  int64_t block = 0;        ///< launches of different cells that were interleaved together share it
  int64_t seed = 0;
  LaunchMode mode = LaunchMode::time;
  LaunchStatus status = LaunchStatus::planned;
  std::string error_kind, error_message;
  std::string ended_by;  ///< what ended it: "itself", "deadline step", "SIGKILL", ...
  int64_t steps = 0;     ///< asked for, warm-up included
  int64_t warmup = 0;    ///< the first steps of each series that are outside the timed region
  int64_t threads = 0;   ///< a rank
  int64_t started_utc_ns = 0, ended_utc_ns = 0;
  int64_t started_mono_ns = 0, ended_mono_ns = 0;
  double load_before = 0, load_after = 0;  ///< runnable processes of the host (1-minute load)
  int64_t bad_events = 0;                  ///< malformed event lines, counted
  std::string bad_events_text;             ///< the first of them
  std::string supervisor_json = "{}";
  std::string run_folder;  ///< relative to the store's folder where possible
  std::string git_json = "{}";
  std::vector<std::string> marks;  ///< "disturbed", "short region", "oversubscribed": shown beside its numbers
};

struct ProcessRow {
  int64_t rank = 0;
  std::string role = "rank";  ///< or server, scheduler, ...
  std::string host;
  int64_t pid = 0;
  std::optional<int64_t> exit_code, signal;
  std::optional<int64_t> peak_rss_bytes, peak_pss_bytes;
  std::optional<int64_t> device_bytes;
};

/// One column of numbers of one rank, an entry a step. Names that the snapshot reads:
/// step_begin_ns, step_end_ns, samples, tokens, bytes_sent, messages (int64); loss, loss_weight (double).
/// Warm-up steps are included: the first LaunchRow::warmup entries.
struct SeriesRow {
  int64_t rank = 0;
  std::string name, unit;
  std::variant<std::vector<double>, std::vector<int64_t>> values;
};

struct EvaluationRow {
  int64_t rank = 0, step = 0, samples_seen = 0;
  std::string metric;
  double value = 0;
  std::string weights = "own";  ///< own, server, mean, member k, ensemble
  int64_t mono_ns = 0;
};

struct MemoryRow {
  int64_t rank = 0;
  std::string category;  ///< parameters, gradients, optimizer_state, activations, communication, workspace
  int64_t bytes = 0, peak_bytes = 0;
};

struct MetricRow {
  int64_t rank = 0, step = 0;
  std::string name, unit;
  double value = 0;
};

struct FingerprintRow {
  int64_t step = 0;
  std::string tensor;
  double parameter_norm = 0;            ///< L2
  std::optional<double> gradient_norm;  ///< L2, after reduction, before clipping
};

struct ArtifactRow {
  std::string kind;  ///< trace, checkpoint, log
  std::string path;  ///< relative to the run folder
  std::string format;
  int64_t bytes = 0;
  std::string hash;
};

/// An adapter as it was when something ran with it, so that readers need no adapter folder.
struct SystemRow {
  std::string name;  ///< "pytorch"
  std::string hash;  ///< made from the three texts where empty
  std::string manifest_json = "{}", probe_json = "{}", claims_json = "{}";
};

/// All of one launch: what Store::import_launch writes in one transaction.
struct LaunchRecord {
  LaunchRow launch;
  CellRow cell;
  EnvironmentRow environment;           ///< left as it is: launch.environment names one that the store has, or none
  std::optional<CampaignRow> campaign;  ///< inserted where this store does not know launch.campaign
  std::optional<SystemRow> system;      ///< the adapter that it ran with, where that is known
  std::vector<ProcessRow> processes;
  std::vector<SeriesRow> series;
  std::vector<EvaluationRow> evaluations;
  std::vector<MemoryRow> memory;
  std::vector<MetricRow> metrics;
  std::vector<FingerprintRow> fingerprints;
  std::vector<ArtifactRow> artifacts;
};

/// The proof of equal work of one cell in one environment. The newest row counts.
struct ProofRow {
  std::string id;  ///< made where empty
  std::string cell, environment;
  ProofState state = ProofState::none;
  std::string launch, reference_launch;  ///< launch ids; may be empty
  std::string compared_json = "{}";      ///< what was compared, with tolerances
  std::string differences_json = "{}";   ///< the largest differences
  double worst = 0;                      ///< largest difference / its tolerance: above 1 it failed
  std::string reason;                    ///< why it failed, or was not made
  int64_t at_utc_ns = 0;
};

/// What people say. Exactly one of `campaign` and `launch` is set.
struct NoteRow {
  std::string id;  ///< made where empty
  std::string campaign, launch;
  std::string text, who;
  int64_t at_utc_ns = 0;
};

}  // namespace lockstep::store
