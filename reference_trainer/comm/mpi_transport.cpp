#include "reference_trainer/comm/mpi_transport.h"

#include <fmt/format.h>
#include <mpi.h>

#include <limits>
#include <vector>

#include "adapters/contract/failure.h"
#include "reference_trainer/comm/combine.h"

namespace lockstep::comm {
namespace {

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Failure("peer_lost", fmt::format("{} failed: {}", call, std::string_view(text, static_cast<size_t>(length))));
}

MPI_Datatype type_of(Element element) {
  if (element == Element::b16) return MPI_UINT16_T;
  return element == Element::f32 ? MPI_FLOAT : MPI_DOUBLE;
}

int count_of(const Buffer& buffer) {
  if (buffer.count > std::numeric_limits<int>::max()) {
    throw Failure("unsupported", fmt::format("a message of {} elements: MPI carries {} at most; use smaller buckets",
                                             buffer.count, std::numeric_limits<int>::max()));
  }
  return static_cast<int>(buffer.count);
}

/// A communicator of its own, so that no tag meets those of other MPI users, that returns errors instead of ending.
class MpiEndpoint final : public Transport {
 public:
  MpiEndpoint(int rank, int size, bool& failed) : Transport(rank, size, true), failed_(failed) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    int found = 0;
    int* largest = nullptr;
    MPI_Comm_get_attr(comm_, MPI_TAG_UB, &largest, &found);
    if (found == 0 || *largest < kLargestTag) {
      throw Failure("setup", fmt::format("this MPI has tags up to {} only; {} are needed; use another MPI",
                                         found == 0 ? 0 : *largest, kLargestTag));
    }
  }
  ~MpiEndpoint() override {
    if (!failed_) MPI_Comm_free(&comm_);
  }

  Request post_send(int peer, int tag, Buffer buffer) override {
    const Request request = new_transfer();
    count_message(buffer.bytes());
    check(MPI_Isend(buffer.data, count_of(buffer), type_of(buffer.element), peer, tag, comm_, &at(request).mpi),
          "MPI_Isend");
    return request;
  }

  Request post_recv(int peer, int tag, Buffer buffer, Combine combine) override {
    const Request request = new_transfer();
    Transfer& transfer = at(request);
    transfer.combine = combine;
    transfer.buffer = buffer;
    std::byte* landing = buffer.data;
    if (combine != Combine::replace) {
      if (transfer.landing.size() < static_cast<size_t>(buffer.bytes())) {
        transfer.landing.resize(static_cast<size_t>(buffer.bytes()));
      }
      landing = transfer.landing.data();
    }
    check(MPI_Irecv(landing, count_of(buffer), type_of(buffer.element), peer, tag, comm_, &transfer.mpi), "MPI_Irecv");
    return request;
  }

  Request post_all_reduce(Buffer buffer, Reduce reduce) override {
    const Request request = new_transfer();
    count_native(buffer.bytes());
    check(MPI_Iallreduce(MPI_IN_PLACE, buffer.data, count_of(buffer), type_of(buffer.element),
                         reduce == Reduce::sum ? MPI_SUM : MPI_MAX, comm_, &at(request).mpi),
          "MPI_Iallreduce");
    return request;
  }

  Request post_barrier() override {
    const Request request = new_transfer();
    check(MPI_Ibarrier(comm_, &at(request).mpi), "MPI_Ibarrier");
    return request;
  }

  bool test(Request& request) override {
    if (request.complete()) return true;
    Transfer& transfer = at(request);
    int done = 0;
    check(MPI_Test(&transfer.mpi, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done == 0) return false;
    if (transfer.combine != Combine::replace) combine(transfer.combine, transfer.buffer, transfer.landing.data());
    free_.push_back(request.slot);
    request = {};
    return true;
  }

  /// Nothing reaches this rank's buffers without its own calls, so there is time to report before the launch ends.
  void abort(std::string_view) override { failed_ = true; }
  void set_waiting_for(std::string_view what) override { waiting_for_ = what; }
  std::string hang_report() const override {
    return fmt::format("\n  rank {} waits for {}\n  other processes report for themselves", rank(), waiting_for_);
  }

 private:
  struct Transfer {
    MPI_Request mpi = MPI_REQUEST_NULL;
    Combine combine = Combine::replace;
    Buffer buffer;
    std::vector<std::byte> landing;  ///< where elements to be reduced arrive; kept for the next transfer
  };

  Transfer& at(const Request& request) { return transfers_[static_cast<size_t>(request.slot)]; }

  Request new_transfer() {
    if (free_.empty()) {
      free_.push_back(static_cast<int>(transfers_.size()));
      transfers_.emplace_back();
    }
    const Request request{free_.back()};
    free_.pop_back();
    at(request).combine = Combine::replace;
    return request;
  }

  bool& failed_;  ///< the environment's
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<Transfer> transfers_;
  std::vector<int> free_;
  std::string waiting_for_;
};

}  // namespace

std::unique_ptr<Transport> MpiEnvironment::endpoint() { return std::make_unique<MpiEndpoint>(rank_, size_, failed_); }

}  // namespace lockstep::comm
