#include "harness/launch/job.h"

#include <algorithm>

#include "harness/suite/check.h"
#include "reference_trainer/plan/mesh.h"
#include "reference_trainer/plan/text/system_text.h"
#include "reference_trainer/plan/text/workload_text.h"
#include "results/json/writer.h"

namespace lockstep::launch {
namespace fs = std::filesystem;
namespace {

constexpr int64_t kProofSteps = 100;

void write_terms(json::Writer& out, const char* name, const std::vector<text::Term>& terms) {
  out.key(name).open_array();
  for (const text::Term& term : terms) {
    out.open_object().member("name", term.name).key("arguments").open_object();
    for (const text::Argument& argument : term.arguments) out.member(argument.key, argument.value);
    out.close().close();
  }
  out.close();
}

std::string options_json(const std::string& system) {
  json::Writer out;
  out.open_object();
  for (const text::Argument& option : text::parse_system(system).options) {
    if (!suite::is_of_checkpoints(option)) out.member(option.key, option.value);
  }
  return out.close().text();
}

contract::EvalRule evaluation(const workloads::Workload& workload, contract::Mode mode) {
  if (mode != contract::Mode::kConverge || !workload.target) return {};
  return {workload.target->metric, workload.evaluate_every, 0};
}

}  // namespace

bool goes_on(const std::string& system) { return text::parse_system(system).find(suite::kResume) != nullptr; }

workloads::Workload workload_of(const suite::PlannedCell& cell, const Request& request, const fs::path& folder) {
  const text::WorkloadText parsed = text::parse_workload(cell.workload);
  std::vector<std::string> arguments = text::arguments_of(parsed);
  const auto set = [&](const std::string& key, const std::string& value) {
    std::erase_if(arguments, [&](const std::string& a) { return a.starts_with(key + "="); });
    arguments.push_back(key + "=" + value);
  };
  // Whoever goes on with a run takes the samples that it would have taken.
  const uint64_t repetition = goes_on(cell.system) ? 0 : static_cast<uint64_t>(request.repetition);
  set("seed", std::to_string(cell.resolved->recipe.seed + repetition));
  if (request.mode == contract::Mode::kVerify) {
    set("warmup_steps", "0");
    set("schedule", "constant");
    std::erase_if(arguments, [](const std::string& a) { return a.starts_with("epochs="); });
    set("steps", std::to_string(std::min(kProofSteps, cell.resolved->steps)));
  }
  return workloads::resolve(folder, parsed.id, parsed.preset, arguments);
}

std::vector<contract::RankPlace> places_of(const text::Strategy& strategy) {
  const plan::Mesh mesh(strategy.axes);
  std::vector<contract::RankPlace> places(static_cast<size_t>(mesh.ranks()));
  for (int rank = 0; rank < mesh.ranks(); ++rank) {
    contract::RankPlace& place = places[static_cast<size_t>(rank)];
    place.data_count = mesh.data_count();
    place.data_index = mesh.data_index(rank);
    place.stage = mesh.coordinate(rank, plan::Axis::pp);
  }
  return places;
}

std::string parsed_json(const text::Strategy& strategy) {
  json::Writer out;
  out.open_object().key("axes").open_array();
  for (const text::MeshAxis& axis : strategy.axes) {
    out.open_object().member("axis", text::name(axis.axis)).member("size", axis.size).close();
  }
  out.close();
  write_terms(out, "passes", strategy.passes);
  write_terms(out, "agreements", strategy.agreements);
  if (strategy.collective) write_terms(out, "collective", {*strategy.collective});
  return out.close().text();
}

int64_t data_ranks(const suite::PlannedCell& cell) {
  return plan::Mesh(text::parse_strategy(cell.strategy).axes).data_count();
}

contract::Job make_job(const suite::PlannedCell& cell, const Request& request, const workloads::Workload& workload,
                       const Arrays& arrays, const fs::path& folder) {
  const text::Strategy strategy = text::parse_strategy(cell.strategy);
  contract::Job job;
  job.launch_id = request.launch_id;
  job.workload = workload.json();
  job.strategy = cell.strategy;
  job.strategy_parsed = parsed_json(strategy);
  job.fabric = cell.fabric;
  job.ranks = places_of(strategy);
  job.init = fs::relative(arrays.init, folder).string();
  job.data = fs::relative(arrays.data, folder).string();
  job.order = fs::relative(arrays.order, folder).string();
  job.steps = workload.steps;
  job.checkpoints = arrays.checkpoints;
  if (!job.checkpoints.resume.empty()) job.checkpoints.resume = fs::relative(job.checkpoints.resume, folder).string();
  const bool timed = request.mode == contract::Mode::kTime || request.mode == contract::Mode::kProfile;
  job.warmup = timed ? std::min(request.warmup, (workload.steps - job.checkpoints.done) / 2) : 0;
  job.seed = workload.recipe.seed;
  job.precision = workloads::recipe_text(workload.recipe, "precision");
  job.threads = static_cast<int>(request.threads);
  job.mode = request.mode;
  job.eval = evaluation(workload, request.mode);
  job.options = options_json(cell.system);
  job.folder = folder;
  return job;
}

}  // namespace lockstep::launch
