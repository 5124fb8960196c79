#include "harness/collect/launch_file.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "adapters/contract/failure.h"

namespace lockstep::collect {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
namespace {

constexpr int kVersion = 1;

// One list of fields for both directions: `visit` gets each name with its member.
template <class Row, class Visit>
void campaign_fields(Row& r, Visit visit) {
  visit("id", r.id), visit("number", r.number), visit("suite", r.suite), visit("suite_json", r.suite_json);
  visit("command_line", r.command_line), visit("planned_launches", r.planned_launches);
  visit("started_utc_ns", r.started_utc_ns), visit("host", r.host), visit("user", r.user), visit("version", r.version);
}

template <class Row, class Visit>
void cell_fields(Row& r, Visit visit) {
  visit("text", r.text), visit("workload", r.workload), visit("system", r.system), visit("strategy", r.strategy);
  visit("fabric", r.fabric), visit("ranks", r.ranks), visit("workload_json", r.workload_json);
  visit("strategy_json", r.strategy_json);
}

template <class Row, class Visit>
void launch_fields(Row& r, Visit visit) {
  visit("id", r.id), visit("campaign", r.campaign), visit("number", r.number), visit("cell", r.cell);
  visit("repetition", r.repetition), visit("block", r.block), visit("seed", r.seed), visit("steps", r.steps);
  visit("warmup", r.warmup), visit("threads", r.threads), visit("started_utc_ns", r.started_utc_ns);
  visit("load_before", r.load_before), visit("run_folder", r.run_folder), visit("git_json", r.git_json);
  visit("marks", r.marks);
}

struct Put {
  Json& json;
  template <class T>
  void operator()(const char* name, const T& value) const {
    json[name] = value;
  }
};

struct Get {
  const Json& json;
  template <class T>
  void operator()(const char* name, T& value) const {
    json.at(name).get_to(value);
  }
};

}  // namespace

void write_launch_file(const fs::path& folder, const store::LaunchRecord& record) {
  Json document{{"format", "lockstep.run_folder"}, {"version", kVersion}};
  campaign_fields(*record.campaign, Put{document["campaign"]});
  cell_fields(record.cell, Put{document["cell"]});
  launch_fields(record.launch, Put{document["launch"]});
  document["launch"]["mode"] = store::to_text(record.launch.mode);
  document["environment"] = Json::parse(record.environment.json);
  const fs::path path = folder / kLaunchFile;
  std::ofstream file(path);
  file << document.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
  file.flush();
  if (!file) throw Failure("setup", path.string() + ": cannot be written; is the disk full?");
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
          {path, "version", document.at("version").dump(), "is of another version", "use the lockstep that wrote it"});
    }
    campaign_fields(record.campaign.emplace(), Get{document.at("campaign")});
    cell_fields(record.cell, Get{document.at("cell")});
    launch_fields(record.launch, Get{document.at("launch")});
    record.launch.mode = store::parse_launch_mode(document.at("launch").at("mode"));
    record.environment.json = document.at("environment").dump();
  } catch (const Json::exception& error) {
    refuse({path, "", "", error.what(), "the file was changed or cut short"});
  }
  return record;
}

}  // namespace lockstep::collect
