#include "harness/collect/record_file.h"

#include <fstream>

#include "adapters/contract/failure.h"
#include "adapters/contract/json_words.h"
#include "harness/collect/fields.h"
#include "results/snapshot/workload_text.h"

namespace lockstep::collect {
namespace {

constexpr const char* kFormat = "lockstep.launch_file";
constexpr int kFileVersion = 1;

/// Visits every list of rows of a record with its name and the fields of its rows.
template <class Record, class Visit>
void each_list(Record& r, Visit visit) {
  visit("processes", r.processes, [](auto& row, auto f) { process_fields(row, f); });
  visit("series", r.series, [](auto& row, auto f) { series_fields(row, f); });
  visit("evaluations", r.evaluations, [](auto& row, auto f) { evaluation_fields(row, f); });
  visit("memory", r.memory, [](auto& row, auto f) { memory_fields(row, f); });
  visit("metrics", r.metrics, [](auto& row, auto f) { metric_fields(row, f); });
  visit("fingerprints", r.fingerprints, [](auto& row, auto f) { fingerprint_fields(row, f); });
  visit("artifacts", r.artifacts, [](auto& row, auto f) { artifact_fields(row, f); });
}

Json to_json(const store::LaunchRecord& record) {
  Json out;
  campaign_fields(*record.campaign, Put{out["campaign"]});
  cell_fields(record.cell, Put{out["cell"]});
  launch_fields(record.launch, Put{out["launch"]});
  outcome_fields(record.launch, Put{out["launch"]});
  out["launch"]["mode"] = store::to_text(record.launch.mode);
  out["launch"]["status"] = store::to_text(record.launch.status);
  if (record.environment.json != store::EnvironmentRow{}.json) out["environment"] = record.environment.json;
  if (record.system) system_fields(*record.system, Put{out["system"]});
  each_list(record, [&](const char* name, const auto& rows, auto fields) {
    Json list = Json::array();
    for (const auto& row : rows) fields(row, Put{list.emplace_back()});
    out[name] = std::move(list);
  });
  return out;
}

store::LaunchRecord from_json(const Json& json) {
  store::LaunchRecord record;
  campaign_fields(record.campaign.emplace(), Get{json.at("campaign")});
  record.campaign->status = store::CampaignStatus::finished;
  cell_fields(record.cell, Get{json.at("cell")});
  const Json& launch = json.at("launch");
  launch_fields(record.launch, Get{launch});
  outcome_fields(record.launch, Get{launch});
  record.launch.mode = store::parse_launch_mode(launch.at("mode"));
  record.launch.status = store::parse_launch_status(launch.at("status"));
  if (json.contains("environment")) record.environment.json = json.at("environment").get<std::string>();
  if (json.contains("system")) system_fields(record.system.emplace(), Get{json.at("system")});
  each_list(record, [&](const char* name, auto& rows, auto fields) {
    for (const Json& row : json.at(name)) fields(rows.emplace_back(), Get{row});
  });
  return record;
}

// The adapter of the launch's system that told what the launch's environment has of its probe.
std::optional<store::SystemRow> system_of(store::Store& store, const store::LaunchRecord& record) {
  const Json environment = Json::parse(record.environment.json, nullptr, false);
  const Json probe = environment.is_object() ? environment.value("probe", Json::object()) : Json::object();
  for (store::SystemRow& row : store.systems()) {
    const bool same = Json::parse(row.probe_json, nullptr, false) == probe;
    if (row.name == snapshot::id_of(record.cell.system) && same) return std::move(row);
  }
  return std::nullopt;
}

}  // namespace

store::LaunchRecord read_record(store::Store& store, const store::LaunchRow& launch) {
  store::LaunchRecord out;
  out.launch = launch;
  out.launch.run_folder.clear();  // it lies beside this store; elsewhere another launch's may have its name
  for (store::CampaignRow& row : store.campaigns()) {
    if (row.id == launch.campaign) out.campaign = std::move(row);
  }
  out.cell = *store.cell(launch.cell);
  if (const auto environment = store.environment(launch.environment)) out.environment = *environment;
  out.system = system_of(store, out);
  out.processes = store.processes(launch.id), out.series = store.series(launch.id);
  out.evaluations = store.evaluations(launch.id), out.memory = store.memory(launch.id);
  out.metrics = store.metrics(launch.id), out.fingerprints = store.fingerprints(launch.id);
  out.artifacts = store.artifacts(launch.id);
  return out;
}

std::string record_text(const store::LaunchRecord& record) {
  const std::string body = to_json(record).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const Json head{
      {"format", kFormat}, {"version", kFileVersion}, {"bytes", body.size()}, {"xxh128", store::content_hash(body)}};
  return head.dump() + "\n" + body;
}

store::LaunchRecord parse_record(const std::string& text, const std::string& file) {
  const size_t end = std::min(text.find('\n'), text.size());
  const Json head = Json::parse(text.substr(0, end), nullptr, false);
  if (!head.is_object() || head.value("format", "") != kFormat) {
    refuse({file, "line 1", "", "this is no launch file", "lockstep export @14.7 --launch -o FILE writes one"});
  }
  if (head.value("version", 0) != kFileVersion) {
    refuse({file, "version", head.value("version", Json()).dump(), "is of another version",
            "use the version that wrote it"});
  }
  const std::string body = text.substr(std::min(end + 1, text.size()));
  if (body.size() != head.value("bytes", size_t{0}) || store::content_hash(body) != head.value("xxh128", "")) {
    refuse({file, "line 2", "", "its hash is not the one that line 1 names: changed, or cut short",
            "export the launch again"});
  }
  try {
    return from_json(Json::parse(body));
  } catch (const Json::exception& error) {
    refuse({file, "line 2", "", json_words(error.what()), "export the launch again"});
  }
}

store::LaunchRecord read_record_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) refuse({file.string(), "", "", "cannot be read", "name a launch file or a run folder"});
  return parse_record({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}, file.string());
}

}  // namespace lockstep::collect
