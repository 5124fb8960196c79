// Runs the bodies of bodies.h under mpirun; `fail` and `hang` show how a launch ends when a rank fails or never comes.
#include <fmt/format.h>

#include <cstdio>
#include <thread>

#include "adapters/contract/failure.h"
#include "reference_trainer/comm/mpi_transport.h"
#include "tests/comm/bodies.h"

namespace lockstep::comm {
namespace {

void run_body(Transport& transport, std::string_view what) {
  std::vector<float> values(1000, 1.0F);
  Communicator comm(transport);
  comm.barrier("start");
  if (what == "fail" && comm.rank() == 1) throw Failure("usage", "on purpose");
  if (what == "hang" && comm.rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(5));
  if (what != "all") {
    const auto handle = comm.start(Operation::all_reduce, std::span(values), Reduce::sum, "ring");
    comm.wait(handle, "gradients", std::chrono::milliseconds(what == "hang" ? 200 : 20'000));
  }
  for (const bodies::Body& body : bodies::kAll) body.run(comm);
}

int run(std::string_view what) {
  MpiEnvironment mpi;
  const auto transport = mpi.endpoint();
  std::string error;
  try {
    run_body(*transport, what);
    return 0;
  } catch (const Failure& failure) {
    error = fmt::format("{}: {}", failure.kind(), failure.what());
  } catch (const std::exception& other) {
    error = other.what();
  }
  fmt::print(stderr, "rank {} failed: {}\n", mpi.rank(), error);
  transport->abort(error);
  return 1;
}

}  // namespace
}  // namespace lockstep::comm

int main(int argc, char** argv) { return lockstep::comm::run(argc > 1 ? argv[1] : "all"); }
