#include "adapters/contract/event_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "adapters/contract/failure.h"

namespace lockstep::contract {
namespace {

constexpr int64_t kFlushNs = 200'000'000;
constexpr int64_t kStepBytes = 256;             // a step line is about 170 bytes
constexpr int64_t kMostReservedSteps = 40'000;  // steps of 5 microseconds in 200 ms

}  // namespace

std::string event_file_name(int rank, const std::string& role) {
  return fmt::format("events.{}{}.jsonl", role == "worker" ? "rank" : role, rank);
}

EventWriter::EventWriter(const std::filesystem::path& folder, int rank, const std::string& role)
    : file_(folder / event_file_name(rank, role)) {
  fd_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd_ < 0) {
    throw Failure("setup",
                  fmt::format("{}: cannot be opened: {}; check the run folder", file_.string(), std::strerror(errno)));
  }
}

EventWriter::~EventWriter() {
  try {
    flush();
  } catch (const Failure&) {
    // A full disk was reported by the write before; a destructor has nobody to tell.
  }
  ::close(fd_);
}

void EventWriter::write(EventBody body) {
  const std::lock_guard lock(mutex_);
  append_line(buffer_, {now_ns(), std::move(body)});
  flush();
}

void EventWriter::step(const Step& step) {
  const std::lock_guard lock(mutex_);
  const int64_t now = now_ns();
  append_line(buffer_, {now, step});
  if (!timed_ || now - last_flush_ns_ >= kFlushNs) flush();
}

void EventWriter::begin_timed(int64_t steps) {
  const std::lock_guard lock(mutex_);
  flush();
  // Touch the memory, so that no page fault falls into the timed region.
  buffer_.resize(static_cast<size_t>(std::min(steps, kMostReservedSteps) * kStepBytes));
  buffer_.clear();
  timed_ = true;
  last_flush_ns_ = now_ns();
}

void EventWriter::end_timed() {
  const std::lock_guard lock(mutex_);
  timed_ = false;
  flush();
}

void EventWriter::flush() {
  size_t written = 0;
  while (written < buffer_.size()) {
    const ssize_t count = ::write(fd_, buffer_.data() + written, buffer_.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      buffer_.clear();
      throw Failure("setup", fmt::format("{}: cannot be written: {}", file_.string(), std::strerror(errno)));
    }
    written += static_cast<size_t>(count);
  }
  buffer_.clear();
  last_flush_ns_ = now_ns();
}

}  // namespace lockstep::contract
