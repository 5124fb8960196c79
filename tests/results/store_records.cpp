#include "tests/results/store_records.h"

#include <limits>

namespace lockstep::store::testing {

Folder::Folder() : path_(std::filesystem::temp_directory_path() / ("lockstep-test-" + make_id())) {
  std::filesystem::create_directory(path_);
}

Folder::~Folder() { std::filesystem::remove_all(path_); }

CellRow cell(const std::string& workload, const std::string& system, const std::string& strategy,
             const std::string& fabric, int64_t ranks) {
  CellRow row;
  row.text = workload + " " + system + " " + strategy + (fabric.empty() ? "" : " on " + fabric);
  row.workload = workload;
  row.system = system;
  row.strategy = strategy;
  row.fabric = fabric;
  row.ranks = ranks;
  return row;
}

LaunchRecord record(const CampaignRow& campaign, int64_t number, const CellRow& cell) {
  LaunchRecord out;
  out.cell = cell;
  out.environment.json = R"({"cpu": "EPYC 7B13"})";
  LaunchRow& launch = out.launch;
  launch.id = make_id();
  launch.campaign = campaign.id;
  launch.number = number;
  launch.cell = cell.text;
  launch.environment = content_hash(out.environment.json);
  launch.repetition = launch.block = number;
  launch.seed = 1 + number;
  launch.status = LaunchStatus::finished;
  launch.steps = 3;
  launch.warmup = 1;
  launch.threads = 1;
  launch.started_utc_ns = 1'796'000'000'123'456'789;
  launch.ended_utc_ns = launch.started_utc_ns + 5;
  launch.load_before = 0.25;
  launch.ended_by = "itself";
  launch.marks = {"disturbed", "short region"};
  out.processes = {{0, "rank", "desk-3", 4711, 0, std::nullopt, 70 << 20, 50 << 20, std::nullopt}};
  out.series = {{0, "step_begin_ns", "ns", std::vector<int64_t>{100, 200, 310}},
                {0, "loss", "nat", std::vector<double>{2.5, std::numeric_limits<double>::quiet_NaN(), 1.25}}};
  out.evaluations = {{0, 3, 24, "test_accuracy", 0.5, "own", 42}};
  out.memory = {{0, "parameters", 1000, 2000}};
  out.metrics = {{0, 2, "noise_scale", "", std::numeric_limits<double>::infinity()}};
  out.fingerprints = {{1, "fc1.weight", 1.5, 0.25},
                      {1, "fc1.bias", 0.5, std::nullopt},
                      {2, "fc1.bias", 0.5, std::numeric_limits<double>::quiet_NaN()}};
  out.artifacts = {{"trace", "trace.json", "chrome", 12, "ab"}};
  return out;
}

}  // namespace lockstep::store::testing
