// Systems, proofs, tags and notes.
#include "adapters/contract/failure.h"
#include "results/store/store_impl.h"

namespace lockstep::store {

bool insert_system(SQLite::Database& db, SystemRow row) {
  if (row.hash.empty()) {
    row.hash = content_hash(fmt::format("{}\n{}\n{}", row.manifest_json, row.probe_json, row.claims_json));
  }
  Command insert(db, "INSERT OR IGNORE INTO system VALUES (?, ?, ?, ?, ?)");
  return insert(row.name, row.hash, row.manifest_json, row.probe_json, row.claims_json) > 0;
}

void Store::record_system(SystemRow row) {
  impl_->write([&] { return insert_system(impl_->db, std::move(row)); });
}

std::vector<SystemRow> Store::systems() {
  const auto read = [](Query& q) {
    SystemRow row;
    row.name = q.text();
    row.hash = q.text();
    row.manifest_json = q.text();
    row.probe_json = q.text();
    row.claims_json = q.text();
    return row;
  };
  return impl_->rows("SELECT name, hash, manifest_json, probe_json, claims_json FROM system ORDER BY name, hash", read);
}

ProofRow Store::record_proof(ProofRow row) {
  if (row.id.empty()) row.id = make_id();
  if (row.at_utc_ns == 0) row.at_utc_ns = now_utc_ns();
  impl_->write([&] {
    Command insert(impl_->db, "INSERT OR IGNORE INTO proof VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    return insert(row.id, row.cell, row.environment, to_text(row.state), row.launch, row.reference_launch,
                  row.compared_json, row.differences_json, row.worst, row.reason, row.at_utc_ns);
  });
  return row;
}

std::vector<ProofRow> Store::proofs(const std::string& cell, const std::string& environment) {
  const auto read = [](Query& q) {
    ProofRow row;
    row.id = q.text();
    row.cell = q.text();
    row.environment = q.text();
    row.state = parse_proof_state(q.text());
    row.launch = q.text();
    row.reference_launch = q.text();
    row.compared_json = q.text();
    row.differences_json = q.text();
    row.worst = q.real();
    row.reason = q.text();
    row.at_utc_ns = q.integer();
    return row;
  };
  return impl_->rows(
      "SELECT id, cell, environment, state, launch, reference_launch, compared_json, differences_json, worst, reason, "
      "at_utc_ns FROM proof WHERE cell = ?1 AND (?2 = '' OR environment = ?2) ORDER BY at_utc_ns DESC, id DESC",
      read, cell, environment);
}

void Store::put_cell(const CellRow& row) {
  impl_->write([&] {
    insert_cell(impl_->db, row);
    return 0;
  });
}

std::string Store::put_environment(EnvironmentRow row) {
  return impl_->write([&] { return insert_environment(impl_->db, row); });
}

void Store::tag(const std::string& campaign, const std::string& tag, const std::string& who) {
  impl_->write([&] {
    Command insert(impl_->db, "INSERT OR REPLACE INTO tag VALUES (?, ?, ?, ?)");
    return insert(tag, campaign, who, now_utc_ns());
  });
}

void Store::untag(const std::string& tag) {
  impl_->write([&] {
    Command remove(impl_->db, "DELETE FROM tag WHERE text = ?");
    return remove(tag);
  });
}

NoteRow Store::note(NoteRow row) {
  if (row.campaign.empty() == row.launch.empty()) {
    refuse({path(), "note", "", "belongs to one campaign or one launch", "name one of them"});
  }
  if (row.id.empty()) row.id = make_id();
  if (row.at_utc_ns == 0) row.at_utc_ns = now_utc_ns();
  const auto subject = [](const std::string& id) { return id.empty() ? std::nullopt : std::make_optional(id); };
  impl_->write([&] {
    Command insert(impl_->db, "INSERT OR IGNORE INTO note VALUES (?, ?, ?, ?, ?, ?)");
    return insert(row.id, subject(row.campaign), subject(row.launch), row.text, row.who, row.at_utc_ns);
  });
  return row;
}

std::vector<NoteRow> Store::notes(const std::string& campaign_or_launch) {
  const auto read = [](Query& q) {
    NoteRow row;
    row.id = q.text();
    row.campaign = q.text();
    row.launch = q.text();
    row.text = q.text();
    row.who = q.text();
    row.at_utc_ns = q.integer();
    return row;
  };
  return impl_->rows(
      "SELECT id, coalesce(campaign, ''), coalesce(launch, ''), text, who, at_utc_ns FROM note "
      "WHERE campaign = ?1 OR launch = ?1 ORDER BY at_utc_ns, id",
      read, campaign_or_launch);
}

}  // namespace lockstep::store
