#include "harness/collect/launch_file.h"

#include <fstream>

#include "adapters/contract/failure.h"
#include "adapters/contract/json_words.h"
#include "harness/collect/fields.h"
#include "harness/supervisor/whole_file.h"

namespace lockstep::collect {
namespace fs = std::filesystem;
namespace {

constexpr int kVersion = 1;

constexpr const char* kOutcome = "outcome";  // only of what was never started

Json document_of(const store::LaunchRecord& record) {
  Json document{{"format", "lockstep.run_folder"}, {"version", kVersion}};
  campaign_fields(*record.campaign, Put{document["campaign"]});
  cell_fields(record.cell, Put{document["cell"]});
  launch_fields(record.launch, Put{document["launch"]});
  document["launch"]["mode"] = store::to_text(record.launch.mode);
  if (!record.environment.json.empty()) document["environment"] = Json::parse(record.environment.json);
  if (record.system) system_fields(*record.system, Put{document["system"]});
  return document;
}

void write(const fs::path& folder, const Json& document) {
  supervisor::write_whole((folder / kLaunchFile).string(),
                          document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace

void write_launch_file(const fs::path& folder, const store::LaunchRecord& record) {
  write(folder, document_of(record));
}

void write_unstarted_file(const fs::path& folder, const store::LaunchRecord& record) {
  Json document = document_of(record);
  outcome_fields(record.launch, Put{document[kOutcome]});
  document[kOutcome]["status"] = store::to_text(record.launch.status);
  write(folder, document);
}

store::LaunchRecord read_launch_file(const fs::path& folder) {
  const std::string path = (folder / kLaunchFile).string();
  std::ifstream file(path);
  if (!file) refuse({path, "", "", "cannot be read: this is no run folder", "name a folder like lockstep-runs/14/007"});
  store::LaunchRecord record;
  try {
    const Json document = Json::parse(file);
    if (document.at("format") != "lockstep.run_folder" || document.at("version") != kVersion) {
      refuse(
          {path, "version", document.at("version").dump(), "is of another version", "use the version that wrote it"});
    }
    campaign_fields(record.campaign.emplace(), Get{document.at("campaign")});
    cell_fields(record.cell, Get{document.at("cell")});
    launch_fields(record.launch, Get{document.at("launch")});
    record.launch.mode = store::parse_launch_mode(document.at("launch").at("mode"));
    if (document.contains("environment")) record.environment.json = document.at("environment").dump();
    if (document.contains(kOutcome)) {
      outcome_fields(record.launch, Get{document.at(kOutcome)});
      record.launch.status = store::parse_launch_status(document.at(kOutcome).at("status"));
    }
    if (document.contains("system")) system_fields(record.system.emplace(), Get{document.at("system")});
  } catch (const Json::exception& error) {
    refuse({path, "", "", json_words(error.what()), "the file was changed or cut short"});
  }
  return record;
}

}  // namespace lockstep::collect
