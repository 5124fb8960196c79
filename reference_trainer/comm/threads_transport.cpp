#include "reference_trainer/comm/threads_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "adapters/contract/failure.h"
#include "adapters/contract/invariant.h"
#include "reference_trainer/comm/combine.h"
#include "reference_trainer/comm/threads_state.h"

namespace lockstep::comm {
namespace {

class ThreadsEndpoint final : public Transport {
 public:
  ThreadsEndpoint(ThreadsWorld::State& state, int rank)
      : Transport(rank, state.size, true), state_(state), touching_(state, rank) {}
  ~ThreadsEndpoint() override {
    if (free_.size() != transfers_.size()) abort("left with transfers in flight");
  }

  Request post_send(int peer, int tag, Buffer buffer) override {
    const Request request = new_transfer(Transfer::send, peer, tag, buffer);
    Message& message = at(request).message;
    message.tag = tag;
    message.buffer = buffer;
    message.taken.store(false, std::memory_order_relaxed);
    count_message(buffer.bytes());
    Channel& channel = state_.channel(rank(), peer);
    const std::lock_guard lock(channel.mutex);
    channel.messages.push_back(&message);
    channel.waiting.fetch_add(1, std::memory_order_release);
    return request;
  }

  Request post_recv(int peer, int tag, Buffer buffer, Combine combine) override {
    const Request request = new_transfer(Transfer::recv, peer, tag, buffer);
    at(request).combine = combine;
    return request;
  }

  Request post_all_reduce(Buffer buffer, Reduce reduce) override {
    count_native(buffer.bytes());
    return post_part(buffer, reduce);
  }
  Request post_barrier() override { return post_part({}, Reduce::sum); }

  bool test(Request& request) override {
    state_.check_failure(rank());
    if (request.complete()) return true;
    if (!advance(at(request))) return false;
    free_.push_back(request.slot);
    request = {};
    return true;
  }

  void abort(std::string_view reason) override {
    {
      const std::lock_guard lock(state_.mutex);
      int nobody = -1;
      const bool first = state_.failed.compare_exchange_strong(nobody, rank(), std::memory_order_seq_cst);
      if (first || nobody == rank()) state_.reason = reason;  // a better reason may follow the first one
    }
    for (int other = 0; other < size(); ++other) {
      const std::atomic<bool>& touching = state_.presence[static_cast<size_t>(other)].touching;
      while (other != rank() && touching.load(std::memory_order_seq_cst)) std::this_thread::yield();
    }
  }

  void set_waiting_for(std::string_view what) override {
    const std::lock_guard lock(state_.mutex);
    state_.waiting_for[static_cast<size_t>(rank())] = what;
  }

  std::string hang_report() const override {
    const std::lock_guard lock(state_.mutex);
    std::string report;
    for (int other = 0; other < size(); ++other) {
      const std::string& what = state_.waiting_for[static_cast<size_t>(other)];
      report += fmt::format("\n  rank {} {}", other, what.empty() ? "does not wait" : "waits for " + what);
    }
    return report;
  }

 private:
  struct Transfer {
    enum Kind : uint8_t { send, recv, all_reduce } kind = send;
    Combine combine = Combine::replace;
    int peer = 0;
    int tag = 0;
    Buffer buffer;
    Message message;             // of a send
    SharedAllReduce::Part part;  // of an all-reduce
  };

  Transfer& at(const Request& request) { return transfers_[static_cast<size_t>(request.slot)]; }

  /// A deque, since receivers hold addresses of messages.
  Request new_transfer(Transfer::Kind kind, int peer, int tag, Buffer buffer) {
    LOCKSTEP_INVARIANT(peer >= 0 && peer < size() && tag >= 0 && tag <= kLargestTag, "peer {} of {}, tag {}", peer,
                       size(), tag);
    if (free_.empty()) {
      free_.push_back(static_cast<int>(transfers_.size()));
      transfers_.emplace_back();
    }
    const Request request{free_.back()};
    free_.pop_back();
    Transfer& transfer = at(request);
    transfer.kind = kind;
    transfer.peer = peer;
    transfer.tag = tag;
    transfer.buffer = buffer;
    return request;
  }

  Request post_part(Buffer buffer, Reduce reduce) {
    const Request request = new_transfer(Transfer::all_reduce, 0, 0, buffer);
    SharedAllReduce::Part& part = at(request).part;
    part = {SharedAllReduce::Part::queued, ++parts_, buffer, reduce};
    state_.all_reduce.publish_early(rank(), part);
    return request;
  }

  bool advance(Transfer& transfer) {
    switch (transfer.kind) {
      case Transfer::send:
        return transfer.message.taken.load(std::memory_order_acquire);
      case Transfer::recv:
        return take(transfer);
      case Transfer::all_reduce:
        return state_.all_reduce.advance(rank(), transfer.part, touching_);
    }
    return false;
  }

  bool take(Transfer& transfer) {
    Channel& channel = state_.channel(transfer.peer, rank());
    if (channel.waiting.load(std::memory_order_acquire) == 0) return false;
    touching_.begin();
    Message* message = next_message(channel, transfer.tag);
    if (message != nullptr) {
      LOCKSTEP_INVARIANT(message->buffer.bytes() == transfer.buffer.bytes(),
                         "rank {} sends {} bytes with tag {}, rank {} expects {}", transfer.peer,
                         message->buffer.bytes(), transfer.tag, rank(), transfer.buffer.bytes());
      combine(transfer.combine, transfer.buffer, message->buffer.data);
      message->taken.store(true, std::memory_order_release);
    }
    touching_.end();
    return message != nullptr;
  }

  static Message* next_message(Channel& channel, int tag) {
    const std::lock_guard lock(channel.mutex);
    const auto found = std::ranges::find_if(channel.messages, [&](const Message* m) { return m->tag == tag; });
    if (found == channel.messages.end()) return nullptr;
    Message* message = *found;
    channel.messages.erase(found);
    channel.waiting.fetch_sub(1, std::memory_order_relaxed);
    return message;
  }

  ThreadsWorld::State& state_;
  Touching touching_;
  std::deque<Transfer> transfers_;
  std::vector<int> free_;
  int64_t parts_ = 0;
};

}  // namespace

ThreadsWorld::State::State(int ranks)
    : size(ranks),
      channels(std::make_unique<Channel[]>(static_cast<size_t>(ranks * ranks))),
      presence(std::make_unique<Presence[]>(static_cast<size_t>(ranks))),
      all_reduce(ranks),
      waiting_for(static_cast<size_t>(ranks)) {}

void ThreadsWorld::State::throw_peer_lost(int rank) const {
  const std::lock_guard lock(mutex);
  throw Failure("peer_lost", fmt::format("rank {} cannot go on: rank {} failed: {}", rank, failed.load(), reason));
}

ThreadsWorld::ThreadsWorld(int size) : state_(std::make_unique<State>(size)) {
  LOCKSTEP_INVARIANT(size >= 1, "a world of {} ranks", size);
}
ThreadsWorld::~ThreadsWorld() = default;
int ThreadsWorld::size() const { return state_->size; }
int ThreadsWorld::failed_rank() const { return state_->failed.load(); }
std::unique_ptr<Transport> ThreadsWorld::endpoint(int rank) { return std::make_unique<ThreadsEndpoint>(*state_, rank); }

}  // namespace lockstep::comm
