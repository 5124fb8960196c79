#pragma once

#include <memory>
#include <string>

#include "reference_trainer/comm/transport.h"

namespace lockstep::comm {

/// MPI's life in this process: MPI_Init_thread(MPI_THREAD_FUNNELED) and MPI_Finalize, once. It outlives its endpoints.
/// Left by an exception, or after an endpoint's abort, it ends the whole launch with MPI_Abort instead: a rank that is
/// gone would let the others hang in MPI_Finalize. So whoever catches an error reports it, and then leaves.
class MpiEnvironment {
 public:
  MpiEnvironment();
  ~MpiEnvironment();
  MpiEnvironment(const MpiEnvironment&) = delete;
  MpiEnvironment& operator=(const MpiEnvironment&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Ranks on this host; more than usable cores means oversubscription.
  int ranks_on_host() const { return ranks_on_host_; }
  bool oversubscribed() const;
  /// "Open MPI v4.1.4, ..."
  std::string library() const;
  /// This rank's endpoint over all ranks.
  std::unique_ptr<Transport> endpoint();

 private:
  int rank_ = 0, size_ = 1, ranks_on_host_ = 1;
  bool failed_ = false;
};

}  // namespace lockstep::comm
