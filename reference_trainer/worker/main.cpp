// lockstep-worker JOB.json: trains one launch's ranks in this process. lockstep-worker --probe: tells what this build
// can do.
#include <cstdio>
#include <exception>
#include <string>

#include "adapters/contract/event_writer.h"
#include "adapters/contract/failure.h"
#include "reference_trainer/worker/fabrics.h"
#include "reference_trainer/worker/probe.h"
#include "reference_trainer/worker/versions.h"

namespace lockstep::worker {
namespace {

/// A failure before any rank lives still leaves an event, in rank 0's file.
void report_early(const std::string& job_file, const Failure& failure) {
  try {
    const contract::Job job = contract::read_job(job_file);
    contract::EventWriter events(job.folder, 0);
    if (failure.kind() == "unsupported") {
      events.write(contract::Unsupported{job.strategy, failure.what()});
    } else {
      events.write(contract::Error{failure.kind() == "usage" ? "setup" : failure.kind(), failure.what()});
    }
  } catch (const Failure&) {
    // No readable job: stderr is all there is.
  }
}

int main_of(int argc, char** argv) {
  const std::string argument = argc == 2 ? argv[1] : "";
  if (argument.empty() || argument == "--help") {
    std::fputs(
        "usage: lockstep-worker JOB.json | --probe\nTrains the ranks of one launch; `lockstep run` writes the job and "
        "starts this program.\n",
        stderr);
    return argument.empty() ? 2 : 0;
  }
  if (argument == "--probe") {
    std::puts(probe().c_str());
    return 0;
  }
  bool prepared = false;
  try {
    Launch launch = prepare(argument);
    launch.versions = versions();
    const FabricRow& fabric = fabric_named(launch.job.fabric);
    prepared = true;
    fabric.run(launch);
    return 0;
  } catch (const Failure& failure) {
    if (!prepared) report_early(argument, failure);
    std::fprintf(stderr, "lockstep-worker: %s: %s\n", failure.kind().c_str(), failure.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lockstep-worker: internal: %s\n", error.what());
  }
  return 1;
}

}  // namespace
}  // namespace lockstep::worker

int main(int argc, char** argv) { return lockstep::worker::main_of(argc, argv); }
