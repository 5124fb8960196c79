#include "harness/run/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "adapters/contract/failure.h"
#include "harness/collect/collect.h"
#include "harness/collect/launch_file.h"
#include "harness/collect/surroundings.h"
#include "harness/environment/contention.h"
#include "harness/environment/machine.h"
#include "harness/launch/checkpoint.h"
#include "harness/launch/command.h"
#include "harness/launch/job.h"
#include "harness/launch/leftovers.h"
#include "harness/launch/spawn.h"
#include "results/store/id.h"

namespace lockstep::run {
namespace fs = std::filesystem;
namespace {

contract::Mode mode_of(store::LaunchMode mode) {
  switch (mode) {
    case store::LaunchMode::verify:
      return contract::Mode::kVerify;
    case store::LaunchMode::profile:
      return contract::Mode::kProfile;
    case store::LaunchMode::converge:
      return contract::Mode::kConverge;
    case store::LaunchMode::time:
      break;
  }
  return contract::Mode::kTime;
}

void wait_for(launch::Supervised& supervised, Signals& signals, const Tick& tick) {
  const auto begin = std::chrono::steady_clock::now();
  while (!supervised.wait(100)) {
    if (signals.interrupted()) supervised.stop();
    if (tick) tick(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
}

// What others did to the machine while the launch ran.
collect::Surroundings surroundings(const std::optional<environment::CpuTimes>& before, int64_t processors) {
  const std::optional<environment::CpuTimes> after = environment::cpu_times();
  collect::Surroundings out{environment::load(), {}, false};
  if (!before || !after) return out;
  out.others = environment::contention(*before, *after, processors);
  out.disturbs = environment::disturbs(*out.others, processors);
  return out;
}

void fail(store::LaunchRecord& record, const Failure& failure) {
  record.launch.status = failure.kind() == "unsupported" ? store::LaunchStatus::skipped : store::LaunchStatus::failed;
  record.launch.error_kind = failure.kind();
  record.launch.error_message = failure.what();
  record.launch.ended_utc_ns = store::now_utc_ns();
}

}  // namespace

void keep_unstarted(store::LaunchRecord& record, const fs::path& folder) {
  try {
    fs::create_directories(folder);
    collect::write_unstarted_file(folder, record);
  } catch (const std::exception& error) {
    record.launch.error_message += fmt::format("; its run folder cannot be written: {}", error.what());
  }
}

store::LaunchRecord begun(const LaunchContext& context, const PlannedLaunch& planned, const store::CellRow& cell,
                          const std::string& environment_json) {
  store::LaunchRecord record;
  record.campaign = context.campaign;
  record.cell = cell;
  record.environment.json = environment_json;
  store::LaunchRow& row = record.launch;
  row.id = planned.id, row.campaign = context.campaign.id, row.number = planned.number, row.cell = cell.text;
  row.repetition = planned.repetition, row.block = planned.block, row.mode = planned.mode;
  row.started_utc_ns = store::now_utc_ns();
  row.load_before = environment::load();
  row.git_json = context.git_json;
  return record;
}

store::LaunchRecord prepared(const LaunchContext& context, const PlannedLaunch& planned, const suite::PlannedCell& cell,
                             const std::string& environment_json) {
  store::LaunchRecord record = begun(
      context, planned,
      {cell.text, cell.workload, cell.system, cell.strategy, cell.fabric, cell.ranks, cell.resolved->json(), "{}"},
      environment_json);
  store::LaunchRow& row = record.launch;
  row.seed = static_cast<int64_t>(cell.resolved->recipe.seed) + planned.repetition;
  row.threads = context.threads > 0 ? context.threads : std::max<int64_t>(1, context.processors / cell.ranks);
  return record;
}

supervisor::Order prepare(const LaunchContext& context, const PlannedLaunch& planned, const suite::PlannedCell& cell,
                          const launch::Adapter& adapter, store::LaunchRecord& record, const fs::path& folder) {
  const launch::Request request{planned.id, mode_of(planned.mode), planned.repetition, context.warmup,
                                record.launch.threads};
  const workloads::Workload workload = launch::workload_of(cell, request, context.places.workloads);
  const fs::path shared = context.runs / "shared";
  launch::Arrays arrays = launch::write_arrays(workload, shared, launch::data_ranks(cell));
  arrays.checkpoints = launch::checkpoints_of(cell.system, request.mode, workload, shared);
  const contract::Job job = launch::make_job(cell, request, workload, arrays, folder);
  contract::write_job(job);
  record.cell.workload_json = cell.resolved->json();
  record.cell.strategy_json = job.strategy_parsed;
  record.launch.steps = job.steps - job.checkpoints.done, record.launch.warmup = job.warmup;
  record.launch.seed = static_cast<int64_t>(job.seed);
  record.system = launch::system_row(adapter);
  collect::write_launch_file(folder, record);
  return launch::make_order(adapter, job, context.places, context.patience);
}

store::LaunchRecord launch(const LaunchContext& context, const Prepare& write, store::LaunchRecord record,
                           const fs::path& folder, Signals& signals) {
  try {
    fs::remove_all(folder);  // what a killed harness had begun here
    fs::create_directories(folder);
    const fs::path relative = folder.lexically_relative(context.store_folder);
    record.launch.run_folder = (relative.empty() ? folder : relative).string();
    const supervisor::Order order = write(record, folder);
    const auto before = environment::cpu_times();
    {
      launch::Supervised supervised(context.places.bin, folder, order);
      wait_for(supervised, signals, context.tick);
      if (!supervised.report()) launch::end_leftovers(order.deadlines.stop, record.launch.id);
    }
    collect::write_surroundings(folder, surroundings(before, context.processors));
    record = collect::collect(folder);
  } catch (const Failure& failure) {
    fail(record, failure);
  } catch (const fs::filesystem_error& error) {
    fail(record, Failure("setup", error.what()));
  }
  if (!fs::exists(folder / collect::kLaunchFile)) keep_unstarted(record, folder);
  return record;
}

}  // namespace lockstep::run
