#include "reference_trainer/comm/running_operation.h"

#include <fmt/format.h>

#include <algorithm>

#include "reference_trainer/comm/combine.h"

namespace lockstep::comm {

using collective::Action;
using collective::Round;

const std::vector<Round>& RunningOperation::rounds() const {
  return setup_.program->ranks[static_cast<size_t>(setup_.rank)];
}

void RunningOperation::begin(Transport& transport, const Setup& setup, const Observer& observe) {
  setup_ = setup;
  round_ = 0;
  complete_ = rounds().empty();
  if (observe) moved_ = moved_by_program();
  start_clock(observe);
  if (!complete_) post_round(transport);
}

void RunningOperation::begin(const Setup& setup, std::vector<Request> requests, const Observer& observe,
                             std::vector<Moved> moved) {
  setup_ = setup;
  round_ = 0;
  requests_ = std::move(requests);
  moved_ = std::move(moved);
  complete_ = requests_.empty();
  start_clock(observe);
}

void RunningOperation::start_clock(const Observer& observe) {
  if (observe) begin_ = round_begin_ = Clock::now();
}

collective::Range RunningOperation::range_of(const collective::Transfer& transfer) const {
  if (setup_.bounds.empty())
    return collective::chunk_range(setup_.buffer.count, setup_.program->chunks, transfer.first, transfer.count);
  return {setup_.bounds[static_cast<size_t>(transfer.first)],
          setup_.bounds[static_cast<size_t>(transfer.first + transfer.count)]};
}

std::vector<Moved> RunningOperation::moved_by_program() const {
  std::vector<Moved> out;
  for (const Round& round : rounds()) {
    for (const collective::Transfer& transfer : round) {
      const int peer = (*setup_.members)[static_cast<size_t>(transfer.peer)];
      const Moved::Way way = transfer.action == Action::send ? Moved::send : Moved::recv;
      auto same = std::find_if(out.begin(), out.end(), [&](const Moved& m) { return m.peer == peer && m.way == way; });
      if (same == out.end()) same = out.insert(out.end(), Moved{way, peer, setup_.tag, 0});
      same->bytes += range_of(transfer).size() * bytes_of(setup_.buffer.element);
    }
  }
  std::erase_if(out, [](const Moved& m) { return m.bytes == 0; });  // of shards that are empty here
  return out;
}

void RunningOperation::post_round(Transport& transport) {
  const Round& round = rounds()[round_];
  requests_.assign(round.size(), Request());
  done_.assign(round.size(), false);
  for (size_t i = 0; i < round.size(); ++i) {
    const collective::Transfer& transfer = round[i];
    const collective::Range range = range_of(transfer);
    if (range.size() == 0) continue;  // both sides know: no message
    const Buffer part = setup_.buffer.part(range.begin, range.size());
    const int peer = (*setup_.members)[static_cast<size_t>(transfer.peer)];
    requests_[i] = transfer.action == Action::send
                       ? transport.post_send(peer, setup_.tag, part)
                       : transport.post_recv(peer, setup_.tag, part,
                                             transfer.action == Action::recv ? Combine::replace : setup_.combine);
  }
}

bool RunningOperation::round_complete(Transport& transport) {
  const Round& round = rounds()[round_];
  bool all = true;
  for (size_t i = 0; i < round.size(); ++i) {
    if (done_[i]) continue;
    const bool turn = round[i].action == Action::send || collective::may_receive(round, i, done_);
    done_[i] = turn && transport.test(requests_[i]);
    all &= done_[i];
  }
  return all;
}

bool RunningOperation::advance(Transport& transport, const Observer& observe) {
  if (complete_) return true;
  if (setup_.program == nullptr) {
    complete_ = true;
    for (Request& request : requests_) complete_ = transport.test(request) && complete_;
  } else {
    while (!complete_ && round_complete(transport)) {
      if (observe) report(observe, Span::round, round_begin_);
      complete_ = ++round_ == rounds().size();
      if (complete_) break;
      if (observe) round_begin_ = Clock::now();
      post_round(transport);
    }
  }
  if (complete_ && observe) report(observe, Span::operation, begin_);
  return complete_;
}

void RunningOperation::report(const Observer& observe, Span::Kind kind, Clock::time_point begin) const {
  const std::string name = fmt::format("{} {}", setup_.name, setup_.algorithm);
  const std::span<const Moved> moved =
      kind == Span::operation ? std::span<const Moved>(moved_) : std::span<const Moved>();
  observe({kind, name, setup_.sequence, setup_.buffer.bytes(), begin, Clock::now(), moved});
}

std::string RunningOperation::describe() const {
  if (setup_.program == nullptr) {
    return fmt::format("{} #{} ({}): all ranks", setup_.name, setup_.sequence, setup_.algorithm);
  }
  std::vector<std::string> missing;
  for (size_t i = 0; i < done_.size() && round_ < rounds().size(); ++i) {
    if (done_[i]) continue;
    const collective::Transfer& transfer = rounds()[round_][i];
    missing.push_back(
        fmt::format("{} rank {} of chunks {}+{}", transfer.action == Action::send ? "send to" : "receive from",
                    (*setup_.members)[static_cast<size_t>(transfer.peer)], transfer.first, transfer.count));
  }
  return fmt::format("{} #{} ({}, round {} of {}): {}", setup_.name, setup_.sequence, setup_.algorithm, round_ + 1,
                     rounds().size(), fmt::join(missing, ", "));
}

}  // namespace lockstep::comm
