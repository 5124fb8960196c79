#include "reference_trainer/comm/communicator.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "adapters/contract/failure.h"
#include "adapters/contract/invariant.h"
#include "reference_trainer/comm/combine.h"
#include "reference_trainer/comm/patience.h"
#include "reference_trainer/comm/running_operation.h"
#include "reference_trainer/plan/collective/algorithms.h"

namespace lockstep::comm {
namespace {

/// Tags of one communicator: operations that far apart are never in flight together.
constexpr int kTags = 4096;

/// Messages have the tags of an id that no communicator has.
constexpr int kMessageId = kLargestTag / kTags - 1;

/// A wait this long is told to others, for their hang reports.
constexpr std::chrono::milliseconds kTell{5};

std::vector<int> members_or_all(const std::vector<int>& members, int size) {
  if (!members.empty()) return members;
  std::vector<int> all(static_cast<size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

Communicator::Communicator(Transport& transport, CommunicatorOptions options)
    : transport_(transport),
      options_(std::move(options)),
      members_(members_or_all(options_.members, transport.size())),
      spins_(Patience::may_spin(transport.size())) {
  const auto self = std::ranges::find(members_, transport.rank());
  LOCKSTEP_INVARIANT(self != members_.end(), "rank {} is not a member of {}", transport.rank(),
                     fmt::join(members_, ","));
  LOCKSTEP_INVARIANT(options_.id >= 0 && options_.id < std::min(kMessageId, kTags), "communicator id {}", options_.id);
  rank_ = static_cast<int>(self - members_.begin());
}

Communicator::~Communicator() {
  if (!in_flight_.empty()) {
    transport_.abort(fmt::format("left with {} collectives in flight, the oldest {}", in_flight_.size(),
                                 in_flight_.front()->describe()));
  }
}

std::string_view Communicator::resolve(std::string_view algorithm, Operation operation, int64_t bytes) const {
  if (algorithm.empty()) algorithm = options_.algorithm;
  const bool native = transport_.native_all_reduce() && spans_transport();
  if (algorithm == "auto") return choose_algorithm(operation, size(), bytes, native);
  const collective::Algorithm& row = collective::find_algorithm(algorithm);
  std::string reason = collective::why_not(row, operation, size());
  if (reason.empty() && row.generate == nullptr && !native) {
    reason = fmt::format("{} is for all ranks of a transport that has it, not for a group of {} of {} ranks", row.name,
                         size(), transport_.size());
  }
  if (!reason.empty()) throw Failure("unsupported", fmt::format("collective {}", reason));
  return row.name;
}

const collective::Program& Communicator::program(std::string_view algorithm, Operation operation, int root) {
  const std::string key = fmt::format("{} {} {}", algorithm, static_cast<int>(operation), root);
  const auto found = programs_.find(key);
  if (found != programs_.end()) return found->second;
  return programs_.emplace(key, collective::generate(algorithm, operation, size(), root)).first->second;
}

std::unique_ptr<Communicator> Communicator::group(std::vector<int> members, int id) const {
  CommunicatorOptions options = options_;
  options.members = std::move(members);
  options.id = id;
  return std::make_unique<Communicator>(transport_, std::move(options));
}

Handle Communicator::start(Operation operation, Buffer buffer, Reduce reduce, std::string_view algorithm, int root) {
  return begin(operation, buffer, reduce, algorithm, root, {});
}

Handle Communicator::start_shards(Operation operation, Buffer buffer, std::span<const int64_t> bounds) {
  const int chunks = operation == Operation::all_to_all ? size() * size() : size();
  LOCKSTEP_INVARIANT(static_cast<int>(bounds.size()) == chunks + 1, "{} bounds for {} chunks", bounds.size(), chunks);
  return begin(operation, buffer, Reduce::sum, "auto", 0, bounds);
}

Handle Communicator::begin(Operation operation, Buffer buffer, Reduce reduce, std::string_view algorithm, int root,
                           std::span<const int64_t> bounds) {
  const std::string_view resolved = resolve(algorithm, operation, buffer.bytes());
  RunningOperation& running = add_running();
  RunningOperation::Setup setup{.sequence = next_++,
                                .name = collective::name(operation),
                                .algorithm = resolved,
                                .rank = rank_,
                                .members = &members_,
                                .buffer = buffer,
                                .bounds = bounds,
                                .combine = combine_of(reduce)};
  setup.tag = options_.id * kTags + static_cast<int>(next_collective_++ % kTags);
  if (resolved == "native") {
    running.begin(setup, {transport_.post_all_reduce(buffer, reduce)}, options_.observe);
  } else {
    setup.program = &program(resolved, operation, root);
    running.begin(transport_, setup, options_.observe);
  }
  return {setup.sequence};
}

Handle Communicator::start(std::span<const PeerMessage> messages) {
  RunningOperation& running = add_running();
  const RunningOperation::Setup setup{.sequence = next_++, .name = "messages", .algorithm = "direct"};
  std::vector<Request> requests;
  std::vector<Moved> moved;
  for (const PeerMessage& message : messages) {
    const int peer = members_[static_cast<size_t>(message.peer)];
    if (options_.observe) {
      moved.push_back({message.way == PeerMessage::send ? Moved::send : Moved::recv, peer,
                       kMessageId * kTags + message.tag, message.buffer.bytes()});
    }
    requests.push_back(
        message.way == PeerMessage::send
            ? transport_.post_send(peer, kMessageId * kTags + message.tag, message.buffer)
            : transport_.post_recv(peer, kMessageId * kTags + message.tag, message.buffer, Combine::replace));
  }
  running.begin(setup, std::move(requests), options_.observe, std::move(moved));
  return {setup.sequence};
}

RunningOperation& Communicator::add_running() {
  if (idle_.empty()) idle_.push_back(std::make_unique<RunningOperation>());
  in_flight_.push_back(std::move(idle_.back()));
  idle_.pop_back();
  return *in_flight_.back();
}

void Communicator::poll() {
  for (const auto& running : in_flight_) running->advance(transport_, options_.observe);
  while (!in_flight_.empty() && in_flight_.front()->complete()) {
    idle_.push_back(std::move(in_flight_.front()));
    in_flight_.pop_front();
  }
}

bool Communicator::complete(Handle handle) const {
  LOCKSTEP_INVARIANT(handle.sequence < next_, "operation {} of {}", handle.sequence, next_);
  if (in_flight_.empty() || handle.sequence < in_flight_.front()->sequence()) return true;
  return in_flight_[static_cast<size_t>(handle.sequence - in_flight_.front()->sequence())]->complete();
}

bool Communicator::test(Handle handle) {
  poll();
  return complete(handle);
}

void Communicator::wait(Handle handle, std::string_view name) { wait(handle, name, options_.deadline); }

void Communicator::wait(Handle handle, std::string_view name, std::chrono::milliseconds deadline) {
  using Clock = std::chrono::steady_clock;
  if (test(handle)) return;
  const Clock::time_point begin = options_.observe ? Clock::now() : Clock::time_point();
  poll_until(handle, name, deadline);
  if (options_.observe) options_.observe({Span::wait, name, handle.sequence, 0, begin, Clock::now()});
}

void Communicator::poll_until(Handle handle, std::string_view name, std::chrono::milliseconds deadline) {
  using Clock = std::chrono::steady_clock;
  Patience patience(spins_);
  Clock::time_point begin{};
  bool told = false;
  while (!test(handle)) {
    patience.pause();
    if (patience.spinning()) continue;
    const Clock::time_point now = Clock::now();
    if (begin == Clock::time_point()) begin = now;
    if (!told && now - begin > std::min(kTell, deadline)) {
      transport_.set_waiting_for(describe(handle, name));
      told = true;
    }
    if (now - begin > deadline) give_up(handle, name, deadline);
  }
  if (told) transport_.set_waiting_for({});
}

void Communicator::give_up(Handle handle, std::string_view name, std::chrono::milliseconds deadline) {
  const std::string text = fmt::format("rank {} waited {} for {}; all ranks:{}", transport_.rank(), deadline,
                                       describe(handle, name), transport_.hang_report());
  transport_.abort(text);  // the buffers go with the exception
  throw Failure("peer_lost", text);
}

std::string Communicator::describe(Handle handle, std::string_view name) const {
  const auto& running = in_flight_[static_cast<size_t>(handle.sequence - in_flight_.front()->sequence())];
  return fmt::format("'{}' in {}", name, running->describe());
}

void Communicator::run(Operation operation, Buffer buffer, std::string_view name, Reduce reduce,
                       std::string_view algorithm, int root) {
  wait(start(operation, buffer, reduce, algorithm, root), name);
}

void Communicator::barrier(std::string_view name) {
  if (!spans_transport()) {
    reduce_value(0, Reduce::sum, name);
    return;
  }
  RunningOperation& running = add_running();
  const RunningOperation::Setup setup{.sequence = next_++, .name = "barrier", .algorithm = "native"};
  running.begin(setup, {transport_.post_barrier()}, options_.observe);
  wait({setup.sequence}, name);
}

double Communicator::reduce_value(double value, Reduce reduce, std::string_view name) {
  run(Operation::all_reduce, Buffer(std::span(&value, 1)), name, reduce, "auto");
  return value;
}

bool Communicator::any(bool value, std::string_view name) { return reduce_value(value ? 1 : 0, Reduce::max, name) > 0; }

}  // namespace lockstep::comm
