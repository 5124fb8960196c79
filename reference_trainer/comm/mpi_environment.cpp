#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <thread>

#include "adapters/contract/failure.h"
#include "reference_trainer/comm/mpi_transport.h"

namespace lockstep::comm {

MpiEnvironment::MpiEnvironment() {
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_FUNNELED) {
    throw Failure(
        "setup", fmt::format("MPI starts with thread level {}; MPI_THREAD_FUNNELED ({}) is needed; use an MPI that has "
                             "it, or fabric threads",
                             provided, MPI_THREAD_FUNNELED));
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &ranks_on_host_);
  MPI_Comm_free(&host);
}

MpiEnvironment::~MpiEnvironment() {
  if (failed_ || std::uncaught_exceptions() > 0) {
    // Ranks that decided together to stop (a loss that is not finite) each write why; the abort kills whoever is late.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}

bool MpiEnvironment::oversubscribed() const { return ranks_on_host_ > sysconf(_SC_NPROCESSORS_ONLN); }

std::string MpiEnvironment::library() const {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  return {text, static_cast<size_t>(length)};
}

}  // namespace lockstep::comm
