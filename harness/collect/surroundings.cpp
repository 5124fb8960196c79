#include "harness/collect/surroundings.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "adapters/contract/failure.h"
#include "adapters/contract/json_words.h"
#include "harness/supervisor/whole_file.h"

namespace lockstep::collect {
namespace fs = std::filesystem;

void write_surroundings(const fs::path& folder, const Surroundings& seen) {
  nlohmann::ordered_json document{{"format", "lockstep.surroundings"}, {"version", 1}, {"load_after", seen.load_after}};
  if (seen.others) {
    document["other_cpus"] = seen.others->other_cpus, document["steal_share"] = seen.others->steal_share;
  }
  document["disturbs"] = seen.disturbs;
  supervisor::write_whole((folder / kSurroundingsFile).string(), document.dump(1) + "\n");
}

std::optional<Surroundings> read_surroundings(const fs::path& folder) {
  const fs::path path = folder / kSurroundingsFile;
  std::ifstream file(path);
  if (!file) return std::nullopt;
  try {
    const auto document = nlohmann::json::parse(file);
    Surroundings out{document.at("load_after"), {}, document.at("disturbs")};
    if (document.contains("other_cpus")) out.others = {document.at("other_cpus"), document.at("steal_share")};
    return out;
  } catch (const nlohmann::json::exception& error) {
    refuse({path.string(), "", "", json_words(error.what()),
            "the file was changed or cut short; without it the launch is imported"});
  }
}

void add_surroundings(store::LaunchRecord& record, const Surroundings& seen) {
  record.launch.load_after = seen.load_after;
  if (seen.others) {
    record.metrics.push_back({0, 0, "other_cpus", "CPU", seen.others->other_cpus});
    record.metrics.push_back({0, 0, "steal_share", "", seen.others->steal_share});
  }
  const bool timed = record.launch.mode == store::LaunchMode::time;
  if (timed && seen.disturbs) record.launch.marks.emplace_back("disturbed");
}

}  // namespace lockstep::collect
