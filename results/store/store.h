#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "results/store/id.h"
#include "results/store/rows.h"

namespace lockstep::store {

enum class OpenMode : uint8_t {
  create,      ///< makes the file where it is missing, else like read_write
  read_write,  ///< must exist; an older schema is brought forward after a copy
  read_only    ///< must exist; an older schema is refused
};

struct LaunchFilter {
  std::optional<std::string> campaign;  ///< CampaignRow::id
  std::optional<std::string> cell;
  std::optional<LaunchMode> mode;
  std::optional<LaunchStatus> status;
  size_t most = 0;  ///< the first so many; 0: all
};

/// One SQLite file of campaigns, launches and their raw samples. Several processes may read and write it at once: each
/// write is one immediate transaction, a busy file is waited for. One object belongs to one thread at a time.
///
/// Expected failures are thrown as Failure: "usage" (missing, not a store, newer schema, file system without working
/// locks), "deadline" (busy for longer than a minute), "setup" (disk full, I/O, damaged file).
class Store {
 public:
  static Store open(const std::string& path, OpenMode mode);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  const std::string& path() const;
  /// Ends the query that another thread runs on this object, and those that it begins: they throw
  /// Failure("interrupted"), until answer_again().
  void interrupt() noexcept;
  void answer_again() noexcept;
  /// A number that is another one after any other connection has written.
  int64_t data_version();
  static int64_t newest_schema();

  /// The row with its id and number, both made here; `started_utc_ns` 0 becomes now.
  CampaignRow begin_campaign(CampaignRow row);
  void end_campaign(const std::string& id, CampaignStatus status, int64_t ended_utc_ns);
  /// A resumed campaign runs again: status running, no end.
  void resume_campaign(const std::string& id);

  /// Writes everything of a launch in one transaction. A launch that is already there is left as it is (false), unless
  /// it was only `planned` or `running`: then it is replaced (true).
  bool import_launch(const LaunchRecord& record);

  void record_system(SystemRow row);
  /// Environments and cells that a proof names must be there: see put_cell, put_environment.
  ProofRow record_proof(ProofRow row);
  void put_cell(const CellRow& row);
  /// Returns the hash.
  std::string put_environment(EnvironmentRow row);
  /// A tag names one campaign; tagging another one moves it.
  void tag(const std::string& campaign, const std::string& tag, const std::string& who);
  void untag(const std::string& tag);
  NoteRow note(NoteRow row);

  std::vector<CampaignRow> campaigns();  ///< by number
  std::optional<CampaignRow> campaign(int64_t number);
  std::optional<CampaignRow> campaign_tagged(const std::string& tag);
  std::vector<LaunchRow> launches(const LaunchFilter& filter);  ///< by campaign number, then number
  std::optional<LaunchRow> launch(int64_t campaign_number, int64_t number);
  std::optional<LaunchRow> launch(const std::string& id);
  std::optional<CellRow> cell(const std::string& text);
  std::vector<CellRow> cells(const std::string& campaign);  ///< those with a launch in it, in order of their first
  std::vector<CellRow> cells();  ///< those of all campaigns: by their first campaign, and in it by their first launch
  std::optional<EnvironmentRow> environment(const std::string& hash);

  std::vector<ProcessRow> processes(const std::string& launch);
  std::vector<SeriesRow> series(const std::string& launch);  ///< all ranks, all names
  std::optional<SeriesRow> series(const std::string& launch, int64_t rank, const std::string& name);
  std::vector<EvaluationRow> evaluations(const std::string& launch);
  std::vector<MemoryRow> memory(const std::string& launch);
  std::vector<MetricRow> metrics(const std::string& launch);
  std::vector<FingerprintRow> fingerprints(const std::string& launch);
  std::vector<ArtifactRow> artifacts(const std::string& launch);
  std::vector<SystemRow> systems();
  /// Newest first; an empty environment means any.
  std::vector<ProofRow> proofs(const std::string& cell, const std::string& environment);
  std::vector<NoteRow> notes(const std::string& campaign_or_launch);

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep::store
